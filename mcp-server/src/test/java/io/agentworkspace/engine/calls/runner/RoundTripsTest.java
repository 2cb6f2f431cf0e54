package io.agentworkspace.engine.calls.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.CaseWorkspace;
import io.agentworkspace.engine.testing.CountingProxy;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.ToolCases;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The database cost of each tool, counted on the wire and recorded in {@code golden/round-trips.md}. */
class RoundTripsTest {
    private static final Clock CLOCK = Clock.systemUTC();

    private static CountingProxy proxy;
    private static Db db;
    private static Runner runner;
    private static Caller ann;
    private static CaseWorkspace workspace;

    @BeforeAll
    static void open() throws IOException {
        var database = URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()));
        proxy = new CountingProxy(database.getPort());
        var url = "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable".formatted(proxy.port());
        // A single connection, which prepares each statement only once.
        db = TestDatabase.connectUnchecked(url);
        runner = TestDatabase.runner(db);
        workspace = new CaseWorkspace(db, runner);
        ann = workspace.member();
    }

    @AfterAll
    static void close() throws IOException {
        db.close();
        proxy.close();
    }

    private record Cost(int roundTrips, int transactions) {}

    private static void run(String step, int round) {
        workspace.run(step, round);
    }

    /**
     * Returns the cost of the second call, or of the third if that is less, when the connection has prepared the statements. A call that
     * comes while signals are late reads the rules again, as the second one may on a slow machine. The third waits for the signals.
     */
    private static Cost cost(List<String> before, String call) {
        var second = new Cost(0, 0);
        for (var round = 1; ; round++) {
            for (var step : before) {
                run(step, round);
            }
            // AC_ChangePlan always waits: it reads the preceding change only after its signal.
            if (round == 3 || call.startsWith("AC_ChangePlan")) {
                TestDatabase.awaitChanges();
            }
            var trips = proxy.roundTrips();
            var transactions = proxy.transactions();
            run(call, round);
            var cost = new Cost(proxy.roundTrips() - trips, proxy.transactions() - transactions);
            if (round == 2) {
                second = cost;
                if (cost.roundTrips() == 1) {
                    return cost;
                }
            } else if (round == 3) {
                return cost.roundTrips() < second.roundTrips() ? cost : second;
            }
        }
    }

    private static Map<String, Cost> costs() {
        var costs = new LinkedHashMap<String, Cost>();
        for (var tool : ToolCases.all()) {
            costs.put(tool.tool(), cost(tool.before(), tool.tool() + " " + tool.cost()));
            if (tool.tool().startsWith("AC_") || tool.tool().startsWith("RL_")) {
                TestDatabase.awaitChanges(); // After a changed plan or rule the next call reads more.
            }
        }
        TestDatabase.awaitChanges();
        return costs;
    }

    @Test
    void aPlanThatLimitsAddsNoRoundTrip() {
        var without = cost(List.of(), "AP_Create {'vx':{'name':'Free #','description':'d'}}");
        run("AC_ChangePlan {'plan':'free'}", 0);
        TestDatabase.awaitChanges();
        var with = cost(List.of(), "AP_Create {'vx':{'name':'Bound #','description':'d'}}");
        run("AC_ChangePlan {'plan':'unlimited'}", 0);
        TestDatabase.awaitChanges();
        assertThat(with).isEqualTo(without);
    }

    @Test
    void aReadTakesOneRoundTripAndAnythingElseOneTransaction() {
        var costs = costs();
        var tools = runner.catalogue().tools();
        assertThat(costs.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        tools.stream().map(Tool::name).toList());
        for (var tool : tools) {
            var expected = tool.effect().reads() ? 0 : 1;
            assertThat(costs.get(tool.name()).transactions()).as(tool.name()).isEqualTo(expected);
            if (tool.effect().reads()) {
                assertThat(costs.get(tool.name()).roundTrips())
                        .as(tool.name())
                        .isEqualTo(Set.of("MB_Search", "MB_Evaluate").contains(tool.name()) ? 2 : 1);
            }
        }
        Golden.check(Repository.file("mcp-server/src/test/resources/golden/round-trips.md"), document(tools, costs));
    }

    @Test
    void whatOnlyReadsWithoutAFieldCostsWhatAReadDoes() {
        assertThat(cost(List.of(), "MB_Permissions {'target':{'bank':'Box'}}")).isEqualTo(new Cost(1, 0));
    }

    private static String document(List<Tool<?, ?>> tools, Map<String, Cost> costs) {
        var text = new StringBuilder("""
                # What a command costs at the database

                How often the server waits for PostgreSQL in one typical successful call of each tool. A test counts this on the
                wire, and writes this table (`./engine test -Dgolden=update`). The look-up of a key is not counted, since the server
                caches it. A read is one round trip, which also checks what is kept of the context. A search is two: the banks with their changes; then which
                candidates the caller may see, and their contents. Everything else is one transaction: the work, the commit. AP_Chat then
                reads what has come in, if anything has. An `idempotency_key` adds two, or three if the tool calls other servers first.

                | tool | effect | round trips |
                |---|---|---|
                """);
        for (var tool : tools) {
            text.append("| %s | %s | %d |\n"
                    .formatted(
                            tool.name(),
                            tool.effect().name().toLowerCase(java.util.Locale.ROOT),
                            costs.get(tool.name()).roundTrips()));
        }
        return text.toString();
    }

    @Test
    void aUserNamedByAddressAddsNoRoundTrip() {
        db.sql("""
                INSERT INTO external_identity (tenant_id, issuer, subject, user_id, created_at, email)
                VALUES (:tenant, 'https://issuer.example', 'ann', :user, now(), 'ann@example.org')
                """).set("tenant", ann.tenant()).set("user", ann.user()).run();
        for (var call : List.of(
                "US_Read {'target':{'user':'%s'}}",
                "AP_Create {'target':{'user':'%s'},'vx':{'name':'%s #','description':'d'}}")) {
            assertThat(cost(
                            List.of(),
                            call.replace("%s", "ann@example.org")
                                    .replace("'name':'ann@example.org", "'name':'By address")))
                    .isEqualTo(cost(List.of(), call.replace("%s", "ann")));
        }
    }

    @Test
    void anIdempotencyKeyAddsOneRoundTripAndNoTransaction() {
        var without = cost(List.of(), "AP_Create {'vx':{'name':'Plain #','description':'d'}}");
        var with = cost(List.of(), "AP_Create {'vx':{'name':'Keyed #','description':'d'},'idempotency_key':'k #'}");
        assertThat(with).isEqualTo(new Cost(without.roundTrips() + 1, 1));
    }

    /** The time of a refusal does not reveal what was wrong. */
    @Test
    void refusingAKeyTakesTwoRoundTripsWhateverIsWrongWithIt() {
        try (var watch = TestDatabase.watch()) {
            var keys = new KeyStore(db, CLOCK, watch);
            var good = ApiKey.generate(new SecureRandom());
            keys.insert(good, new KeyStore.KeyOwner(ann.tenant(), ann.user(), "test", List.of("*")), CLOCK.instant());
            var revoked = ApiKey.generate(new SecureRandom());
            keys.insert(
                    revoked, new KeyStore.KeyOwner(ann.tenant(), ann.user(), "test", List.of("*")), CLOCK.instant());
            keys.revoke(ann.tenant(), revoked.id(), CLOCK.instant());
            var forged = ApiKey.withId(good.id(), new SecureRandom());
            keys.authenticate(good); // The connection has now prepared the statement.
            for (var bad : List.of(forged, revoked, ApiKey.generate(new SecureRandom()), forged, revoked)) {
                var before = proxy.roundTrips();
                assertThatThrownBy(() -> keys.authenticate(bad)).hasMessageContaining("unknown, expired or revoked");
                assertThat(proxy.roundTrips()).isEqualTo(before + 2);
                assertThat(keys.remembers(bad)).isFalse();
            }
        }
    }

    @Test
    void knowingAKeyTakesNoRoundTripOnceItIsKnown() {
        try (var watch = TestDatabase.watch()) {
            var keys = new KeyStore(db, Clock.fixed(CLOCK.instant(), ZoneOffset.UTC), watch);
            var key = ApiKey.generate(new SecureRandom());
            keys.insert(key, new KeyStore.KeyOwner(ann.tenant(), ann.user(), "test", List.of("*")), CLOCK.instant());
            org.awaitility.Awaitility.await().until(() -> {
                var before = proxy.roundTrips();
                keys.authenticate(key);
                return proxy.roundTrips() == before;
            });
            // After a pause of a second, the server drops its cache.
            org.awaitility.Awaitility.await().untilAsserted(() -> {
                var before = proxy.roundTrips();
                for (var i = 0; i < 1_000; i++) {
                    assertThat(keys.authenticate(key).userName()).isEqualTo("ann");
                }
                assertThat(proxy.roundTrips()).isEqualTo(before);
            });
        }
    }
}
