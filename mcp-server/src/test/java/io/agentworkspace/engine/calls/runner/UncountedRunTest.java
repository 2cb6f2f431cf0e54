package io.agentworkspace.engine.calls.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.account.CallLimits;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.keys.KeyUse;
import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.workspace.agents.AgentPresence;
import io.agentworkspace.engine.workspace.agents.AgentUseStore;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An internal access check does not count as a command or a use of the key, and keeps nobody online. */
class UncountedRunTest {
    private static final Clock CLOCK = Clock.systemUTC();
    private static final Db DB = TestDatabase.db();

    private final AgentPresence presence = new AgentPresence(DB);
    private final KeyUse use = new KeyUse(DB, CLOCK);
    private final CallLimits metering = TestDatabase.metering();
    private final Rules rules = TestDatabase.rules();
    private final Runner runner = new Runner(
            TestDatabase.catalogue(DB, metering),
            DB,
            new Contexts(DB),
            CLOCK,
            presence,
            use,
            new AgentUseStore(DB),
            TestDatabase.audit(),
            new EventLog(),
            metering,
            rules,
            new SealedCursors(new StateSigner(new SealKeys(DB, CLOCK))),
            HeavyWork.ofMachine());
    private final TenantStore tenants = new TenantStore(DB);
    private final long tenant = tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", CLOCK.instant());
    private final long user = tenants.createUser(tenant, Name.of("ann"), Role.MEMBER, CLOCK.instant());

    /** This caller always acts as its agent, so that every call keeps the agent online. */
    private final Caller ada = bound();

    private Caller bound() {
        var key = ApiKey.generate(new SecureRandom());
        try (var watch = TestDatabase.watch()) {
            new KeyStore(DB, CLOCK, watch)
                    .insert(key, new KeyStore.KeyOwner(tenant, user, "test", List.of("*")), CLOCK.instant());
        }
        var credential = new Credential(key.id(), false, Toolset.EVERYTHING, false, null, false);
        var principal = "key:" + key.id();
        var ann = new Caller(tenant, "t", user, "ann", Role.MEMBER, Set.of("*"), principal, null, credential);
        assertThat(runner.run(request(ann, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}"))
                        .success())
                .isTrue();
        var agent = DB.sql("SELECT id FROM agent WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .one(row -> row.number("id"))
                .orElseThrow();
        return new Caller(tenant, "t", user, "ann", Role.MEMBER, Set.of("*"), principal, agent, credential);
    }

    private static ToolRunner.Request request(Caller caller, String tool, String arguments) {
        var sent = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return new ToolRunner.Request(tool, sent, caller, "r", true, null);
    }

    private Answer look(String tool, String arguments) {
        return runner.runUncounted(request(ada, tool, arguments));
    }

    private long count(String table) {
        return DB.sql("SELECT count(*) AS n FROM %s WHERE tenant_id = :tenant".formatted(table))
                .set("tenant", tenant)
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Returns the counts of commands, of tools that the key has run, and of contexts in use. */
    private List<Long> counted() {
        use.flush();
        presence.flush();
        return List.of(metering.ran(ada), count("key_usage"), count("context"));
    }

    @Test
    void aLookCountsAsNothing() {
        var before = counted();
        assertThat(look("AP_List", "{}").success()).isTrue();
        assertThat(look("AP_Read", "{'target':{'agent':'Nobody'}}").problem()).isNotNull();
        assertThat(counted()).isEqualTo(before);
        assertThat(runner.run(request(ada, "AP_List", "{}")).success()).isTrue();
        assertThat(counted())
                .as("a real call is counted")
                .isEqualTo(before.stream().map(n -> n + 1).toList());
    }

    @Test
    void aLookChangesNothingAndMayNoMoreThanACall() {
        var refused = look("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':'e'}}");
        assertThat(refused.problem()).extracting(problem -> problem.failure()).isEqualTo(Failure.INTERNAL);
        assertThat(look("US_List", "{}").problem())
                .extracting(problem -> problem.failure())
                .isEqualTo(Failure.NOT_PERMITTED);
    }

    /** A rule in shadow counts calls, and no looks. */
    @Test
    void aLookCountsNoMatchOfARule() {
        DB.sql("""
                INSERT INTO rule (tenant_id, id, name, name_key, applies_to, expression, effect, message, enabled, priority, mode,
                                  examples, created_at, updated_at, counted_since)
                VALUES (:tenant, gen_random_uuid(), 'r', 'r', '{AP_List}', 'true', 'deny', '', true, 0, 'shadow', '[]', :now, :now, :now)
                """).set("tenant", tenant).set("now", CLOCK.instant()).run();
        TestDatabase.awaitChanges(); // The rule takes effect once its notification arrives.
        assertThat(look("AP_List", "{}").success()).isTrue();
        assertThat(runner.run(request(ada, "AP_List", "{}")).success()).isTrue();
        assertThat(look("AP_List", "{}").success()).isTrue();
        rules.flush();
        assertThat(DB.sql("SELECT matched FROM rule WHERE tenant_id = :tenant")
                        .set("tenant", tenant)
                        .one(row -> row.number("matched")))
                .contains(1L);
    }
}
