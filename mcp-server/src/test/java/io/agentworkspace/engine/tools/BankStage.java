package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.Door;
import io.agentworkspace.engine.Person;
import io.agentworkspace.engine.Reply;
import io.agentworkspace.engine.TestDatabase;
import io.agentworkspace.engine.TestTenant;
import io.agentworkspace.engine.model.Json;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** A tenant with people, their agents and their banks. Where a context is named, its self is the agent of that name. */
final class BankStage {
    final TestTenant tenant = new TestTenant();
    final Person ann = tenant.member("ann");
    final Person bob = tenant.member("bob");

    List<Long> tenants() {
        return Arrays.stream(Door.values()).map(tenant::id).toList();
    }

    /** A name that no other test has. */
    static String unique(String name) {
        return name + "-" + UUID.randomUUID();
    }

    /** An agent, logged on in a context of its own name. */
    static void agent(Person owner, String name) {
        agent(owner, name, "private");
    }

    static void agent(Person owner, String name, String access) {
        owner.call("AP_Create", "{'vx':{'name':'%s','description':'d','access':'%s'}}".formatted(name, access))
                .ok();
        owner.call("AP_LogOn", "{'target':{'agent':'%1$s','context':'%1$s'}}".formatted(name))
                .ok();
    }

    static void bank(Person owner, String name) {
        bank(owner, name, "private");
    }

    static void bank(Person owner, String name, String access) {
        owner.call("MB_Create", "{'vx':{'name':'%s','access':'%s'}}".formatted(name, access))
                .ok();
    }

    static Reply grant(Person manager, String bank, String agent, String permission) {
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

    static Reply storeNamed(Person who, String bank, String agent, String name, String text) {
        return who.call(
                "MB_Store",
                "{'target':{'bank':'%s','agent':'%s'},'vx':{'name':'%s'},'content':'%s'}"
                        .formatted(bank, agent, name, text));
    }

    static Reply read(Person who, String bank) {
        return who.call("MB_Read", bank(bank));
    }

    /** Just the target, as arguments. */
    static String bank(String bank) {
        return "{'target':{'bank':'%s'}}".formatted(bank);
    }

    static String share(String bank, String agent) {
        return "{'target':{'bank':'%s','agent':'%s'}}".formatted(bank, agent);
    }

    static String in(String context, String bank) {
        return "{'target':{'bank':'%s','context':'%s'}}".formatted(bank, context);
    }

    /** A string of so many characters, in a JSON string. */
    static String quoted(int characters) {
        return Json.text("x".repeat(characters));
    }

    /** Makes both agents, whose names must be unique, members of one domain. */
    static void shareDomain(String one, String other) {
        TestDatabase.db()
                .sql("""
                WITH d AS (INSERT INTO domain (tenant_id, name, name_key, description, access, owner_id, created_at,
                                               updated_at)
                           SELECT tenant_id, :domain, :domain, 'd', 'private', owner_id, now(), now()
                             FROM agent WHERE name = :one
                           RETURNING tenant_id, id)
                INSERT INTO membership (tenant_id, domain_id, agent_id, owner_id, state, since)
                SELECT d.tenant_id, d.id, a.id, a.owner_id, 'member', now()
                  FROM d JOIN agent a ON a.tenant_id = d.tenant_id AND a.name IN (:one, :other)
                """)
                .set("domain", UUID.randomUUID().toString())
                .set("one", one)
                .set("other", other)
                .run();
    }
}
