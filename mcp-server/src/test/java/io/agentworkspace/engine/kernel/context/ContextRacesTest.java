package io.agentworkspace.engine.kernel.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ann changes something on one replica while Bob calls on another one, which has kept his context. Whatever Ann had committed before
 * a call of his began counts for it. {@code -Dcontext.races=10000} makes more of them.
 */
class ContextRacesTest {
    private static final int RACES = Integer.getInteger("context.races", 600);
    private static final Clock CLOCK = Clock.systemUTC();
    private static final Db HERE_DB = TestDatabase.open();
    private static final Db THERE_DB = TestDatabase.open();
    private static final Runner HERE = TestDatabase.runner(HERE_DB);
    private static final Runner THERE = TestDatabase.runner(THERE_DB);

    private final Caller ann;
    private final Caller bob;

    ContextRacesTest() {
        var tenants = new TenantStore(HERE_DB);
        var tenant = tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", CLOCK.instant());
        ann = caller(tenants, tenant, "ann", Role.OWNER);
        bob = caller(tenants, tenant, "bob", Role.MEMBER);
    }

    private static Caller caller(TenantStore tenants, long tenant, String name, Role role) {
        var user = tenants.createUser(tenant, Name.of(name), role, CLOCK.instant());
        var credential = new Credential(null, false, Toolset.EVERYTHING, false, null, false);
        return new Caller(tenant, "t", user, name, role, Set.of("*"), "user:" + user, null, credential);
    }

    @AfterAll
    static void close() {
        HERE_DB.close();
        THERE_DB.close();
    }

    private static Answer answer(Runner replica, Caller caller, String tool, String arguments) {
        var fields = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return replica.run(new ToolRunner.Request(tool, fields, caller, "r", true, null));
    }

    private static Answer done(Runner replica, Caller caller, String tool, String arguments) {
        var answer = answer(replica, caller, tool, arguments);
        assertThat(answer.success())
                .as("%s %s: %s", tool, arguments, answer.envelope())
                .isTrue();
        return answer;
    }

    /** A state that Ann makes, and what a call of Bob's shows in it. */
    private record Turn(Callable<?> change, String shown) {}

    /** What Bob's call shows. */
    @FunctionalInterface
    private interface Look {
        String show();
    }

    /**
     * Makes the turns in a circle while Bob looks, and returns what he saw although it was over before his call began. After each change one
     * look begins and ends before the next change, so that it can have one result only.
     */
    private static List<String> outdated(Look look, Turn... turns) throws Exception {
        var committed = new AtomicInteger();
        var begun = new AtomicInteger();
        var outdated = new ArrayList<String>();
        var seen = new HashMap<String, Integer>();
        var looked = new LinkedBlockingQueue<Integer>();
        turns[0].change().call();
        Concurrently.all(List.of(
                () -> {
                    try {
                        for (var turn = 1; turn <= RACES; turn++) {
                            begun.set(turn);
                            turns[turn % turns.length].change().call();
                            committed.set(turn);
                            for (var after = 0; after < turn; ) {
                                after = Objects.requireNonNull(looked.poll(1, TimeUnit.MINUTES), "nobody looks");
                            }
                        }
                    } finally {
                        begun.set(Integer.MAX_VALUE);
                    }
                    return true;
                },
                () -> {
                    while (begun.get() != Integer.MAX_VALUE) {
                        var first = committed.get();
                        var shown = look.show();
                        var last = Math.min(begun.get(), RACES);
                        seen.merge(shown, 1, Integer::sum);
                        looked.add(first);
                        var isPossible = IntStream.rangeClosed(first, last)
                                .anyMatch(turn ->
                                        turns[turn % turns.length].shown().equals(shown));
                        if (!isPossible) {
                            outdated.add("%s after turn %d".formatted(shown, first));
                        }
                    }
                    return true;
                }));
        assertThat(seen.keySet()).as("what was seen: %s", seen).contains(turns[0].shown(), turns[1].shown());
        return outdated;
    }

    private void prepare() {
        for (var name : List.of("Ada", "Eve")) {
            done(HERE, ann, "AP_Create", "{'vx':{'name':'%s','description':'d','access':'public'}}".formatted(name));
        }
        done(HERE, bob, "AP_Select", "{'target':{'agent':'Ada'}}");
        done(THERE, bob, "AP_List", "{}");
    }

    private static String selected(Answer answer) {
        return answer.envelope().at("/header/context/agent").asString("nobody");
    }

    @Test
    void aRightThatWasTakenAwayIsGone() throws Exception {
        prepare();
        assertThat(outdated(
                        () -> answer(THERE, bob, "AP_Read", "{}")
                                .envelope()
                                .at("/profile/0/name")
                                .asString("nobody"),
                        new Turn(
                                () -> done(
                                        HERE, ann, "AP_Modify", "{'target':{'agent':'Ada'},'vx':{'access':'public'}}"),
                                "Ada"),
                        new Turn(
                                () -> done(
                                        HERE, ann, "AP_Modify", "{'target':{'agent':'Ada'},'vx':{'access':'private'}}"),
                                "nobody")))
                .isEmpty();
    }

    @Test
    void aNameThatWasPassedOnIsNotTheFormerOwners() throws Exception {
        prepare();
        assertThat(outdated(
                        () -> selected(answer(
                                THERE, bob, "MB_Create", "{'vx':{'name':'bank %s'}}".formatted(UUID.randomUUID()))),
                        new Turn(() -> swapNames("Ada", "Eve"), "Ada"),
                        new Turn(() -> swapNames("Eve", "Ada"), "Eve")))
                .isEmpty();
    }

    /** Gives the agent that Bob selected the first name, and the other agent the second. */
    private boolean swapNames(String selected, String other) {
        return HERE_DB.transaction(() -> {
            HERE_DB.sql("""
                    UPDATE agent SET name = 'was ' || name, name_key = 'was ' || name_key WHERE tenant_id = :tenant
                    """).quiet().set("tenant", ann.tenant()).run();
            return HERE_DB.sql("""
                    UPDATE agent SET name = n.name, name_key = lower(n.name)
                      FROM (SELECT CAST(:selected AS text) AS name, true AS is_selected UNION ALL SELECT CAST(:other AS text), false) n
                     WHERE tenant_id = :tenant
                       AND (id = (SELECT agent_id FROM context WHERE tenant_id = :tenant AND principal = :bob)) = n.is_selected
                    """)
                            .quiet()
                            .set("tenant", ann.tenant())
                            .set("bob", bob.principal())
                            .set("selected", selected)
                            .set("other", other)
                            .run()
                    == 2;
        });
    }

    @Test
    void aContextSelectsWhatWasSelectedElsewhere() throws Exception {
        prepare();
        assertThat(outdated(
                        () -> selected(answer(THERE, bob, "AP_Read", "{}")),
                        new Turn(() -> done(HERE, bob, "AP_Select", "{'target':{'agent':'Ada'}}"), "Ada"),
                        new Turn(() -> done(HERE, bob, "AP_Select", "{'target':{'agent':'Eve'}}"), "Eve")))
                .isEmpty();
    }

    @Test
    void messagesGoToWhatIsSelected() throws Exception {
        prepare();
        assertThat(outdated(
                        () -> answer(THERE, bob, "AP_Chat", "{'content':'hello'}")
                                .envelope()
                                .at("/content/0/to")
                                .asString("nobody"),
                        new Turn(() -> done(HERE, bob, "AP_Select", "{'target':{'agent':'Ada'}}"), "Ada"),
                        new Turn(() -> done(HERE, bob, "AP_Select", "{'target':{'agent':'Eve'}}"), "Eve")))
                .isEmpty();
    }

    /** Ann acts as an agent whose name a rule reads, before the call's first statement. */
    @ParameterizedTest
    @ValueSource(strings = {"deny", "audit"})
    void aRuleReadsTheAgentAsItIs(String effect) throws Exception {
        prepare();
        done(THERE, ann, "AP_LogOn", "{'target':{'agent':'Ada'}}");
        done(
                HERE,
                ann,
                "RL_Create",
                "{'name':'no eve','applies_to':['MB_Create'],'effect':'%s','when':'principal.agent == \\\"Eve\\\"'}"
                        .formatted(effect));
        done(HERE, ann, "AP_Destroy", "{'target':{'agent':'Eve'}}");
        assertThat(outdated(
                        () -> {
                            var answer = answer(
                                    THERE, ann, "MB_Create", "{'vx':{'name':'bank %s'}}".formatted(UUID.randomUUID()));
                            return answer.success()
                                    ? answer.envelope()
                                            .at("/header/context/self")
                                            .asString("nobody")
                                    : "Eve";
                        },
                        new Turn(() -> renamed(ann, "Eve", "Ada"), "Ada"),
                        new Turn(() -> renamed(ann, "Ada", "Eve"), "Eve")))
                .isEmpty();
    }

    private static boolean renamed(Caller caller, String from, String to) {
        return answer(HERE, caller, "AP_Modify", "{'target':{'agent':'%s'},'vx':{'name':'%s'}}".formatted(from, to))
                .success();
    }

    @Test
    void aRoleThatWasLostIsLost() throws Exception {
        prepare();
        var admin = new Caller(
                bob.tenant(), "t", bob.user(), "bob", Role.ADMIN, Set.of("*"), bob.principal(), null, bob.credential());
        assertThat(outdated(
                        () -> answer(THERE, admin, "US_Read", "{}").success() ? "admin" : "member",
                        new Turn(
                                () -> done(HERE, ann, "US_Update", "{'target':{'user':'bob'},'vx':{'access':'admin'}}"),
                                "admin"),
                        new Turn(
                                () -> done(
                                        HERE, ann, "US_Update", "{'target':{'user':'bob'},'vx':{'access':'member'}}"),
                                "member")))
                .isEmpty();
    }
}
