package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Person;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Scene;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.Arrays;
import java.util.List;

/** A tenant with people, their agents and their banks. Where a context is named, its self is the agent of that name. */
public final class BankStage {
    public final TestTenant tenant = new TestTenant();
    public final Person ann = tenant.member("ann");
    final Person bob = tenant.member("bob");

    List<Long> tenants() {
        return Arrays.stream(Door.values()).map(tenant::id).toList();
    }

    /** An agent, logged on in a context of its own name. */
    public static void agent(Person owner, String name) {
        agent(owner, name, "private");
    }

    public static void agent(Person owner, String name, String access) {
        owner.call("AP_Create", "{'vx':{'name':'%s','description':'d','access':'%s'}}".formatted(name, access))
                .ok();
        owner.call("AP_LogOn", "{'target':{'agent':'%1$s','context':'%1$s'}}".formatted(name))
                .ok();
    }

    public static void bank(Person owner, String name) {
        bank(owner, name, "private");
    }

    public static void bank(Person owner, String name, String access) {
        owner.call("MB_Create", "{'vx':{'name':'%s','access':'%s'}}".formatted(name, access))
                .ok();
    }

    public static Reply grant(Person manager, String bank, String agent, String permission) {
        return manager.call(
                "MB_Permissions",
                "{'target':{'bank':'%s','agent':'%s'},'vx':{'access':'%s'}}".formatted(bank, agent, permission));
    }

    /** Stores an unnamed memory as the user itself. */
    static Reply store(Person who, String bank, String text) {
        return who.call("MB_Store", "{'target':{'bank':'%s'},'content':'%s'}".formatted(bank, text));
    }

    static Reply storeAs(Person who, String bank, String agent, String text) {
        return who.call(
                "MB_Store", "{'target':{'bank':'%s','agent':'%s'},'content':'%s'}".formatted(bank, agent, text));
    }

    public static Reply storeNamed(Person who, String bank, String agent, String name, String text) {
        return who.call(
                "MB_Store",
                "{'target':{'bank':'%s','agent':'%s'},'vx':{'name':'%s'},'content':'%s'}"
                        .formatted(bank, agent, name, text));
    }

    static Reply read(Person who, String bank) {
        return who.call("MB_Read", bank(bank));
    }

    /** Just the target, as arguments. */
    public static String bank(String bank) {
        return "{'target':{'bank':'%s'}}".formatted(bank);
    }

    static String share(String bank, String agent) {
        return "{'target':{'bank':'%s','agent':'%s'}}".formatted(bank, agent);
    }

    public static String in(String context, String bank) {
        return "{'target':{'bank':'%s','context':'%s'}}".formatted(bank, context);
    }

    /** A string of so many characters, in a JSON string. */
    static String quoted(int characters) {
        return Json.text("x".repeat(characters));
    }

    /** Makes both agents members of a public domain of the host's owner, who must see the other one. */
    public static void shareDomain(Person owner, String host, String other) {
        var domain = "of " + host;
        Scene.hosted(owner, domain, "public", host);
        Scene.invite(owner, domain, other).ok();
    }
}
