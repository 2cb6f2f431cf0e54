package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.Arrays;
import java.util.List;

/** A tenant with users, their agents and their banks. A context that is named after an agent acts as that agent. */
public final class BankFixture {
    public final TestTenant tenant = new TestTenant();
    public final TestCaller ann = tenant.member("ann");
    final TestCaller bob = tenant.member("bob");

    List<Long> tenants() {
        return Arrays.stream(ClientApi.values()).map(tenant::id).toList();
    }

    /** Creates an agent and logs it on in a context with its own name. */
    public static void agent(TestCaller owner, String name) {
        agent(owner, name, "private");
    }

    public static void agent(TestCaller owner, String name, String access) {
        owner.call("AP_Create", "{'vx':{'name':'%s','description':'d','access':'%s'}}".formatted(name, access))
                .ok();
        owner.call("AP_LogOn", "{'target':{'agent':'%1$s','context':'%1$s'}}".formatted(name))
                .ok();
    }

    public static void bank(TestCaller owner, String name) {
        bank(owner, name, "private");
    }

    public static void bank(TestCaller owner, String name, String access) {
        owner.call("MB_Create", "{'vx':{'name':'%s','access':'%s'}}".formatted(name, access))
                .ok();
    }

    public static Reply grant(TestCaller manager, String bank, String agent, String permission) {
        return manager.call(
                "MB_Permissions",
                "{'target':{'bank':'%s','agent':'%s'},'vx':{'access':'%s'}}".formatted(bank, agent, permission));
    }

    /** Stores an unnamed memory as the user, without an agent. */
    static Reply store(TestCaller who, String bank, String text) {
        return who.call("MB_Store", "{'target':{'bank':'%s'},'content':'%s'}".formatted(bank, text));
    }

    static Reply storeAs(TestCaller who, String bank, String agent, String text) {
        return who.call(
                "MB_Store", "{'target':{'bank':'%s','agent':'%s'},'content':'%s'}".formatted(bank, agent, text));
    }

    public static Reply storeNamed(TestCaller who, String bank, String agent, String name, String text) {
        return who.call(
                "MB_Store",
                "{'target':{'bank':'%s'%s},'vx':{'name':'%s'},'content':'%s'}"
                        .formatted(bank, agent.isEmpty() ? "" : ",'agent':'" + agent + "'", name, text));
    }

    static Reply read(TestCaller who, String bank) {
        return who.call("MB_Read", bank(bank));
    }

    /** Returns arguments with only the target. */
    public static String bank(String bank) {
        return "{'target':{'bank':'%s'}}".formatted(bank);
    }

    static String share(String bank, String agent) {
        return "{'target':{'bank':'%s','agent':'%s'}}".formatted(bank, agent);
    }

    public static String in(String context, String bank) {
        return "{'target':{'bank':'%s','context':'%s'}}".formatted(bank, context);
    }

    /** Returns a JSON string with the given number of characters. */
    static String quoted(int characters) {
        return Json.text("x".repeat(characters));
    }

    /** Makes both agents members of a public domain. The host's owner must see the other agent. */
    public static void shareDomain(TestCaller owner, String host, String other) {
        var domain = "of " + host;
        DomainSetup.hosted(owner, domain, "public", host);
        DomainSetup.invite(owner, domain, other).ok();
    }
}
