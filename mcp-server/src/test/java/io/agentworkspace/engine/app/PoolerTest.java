package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.PgBouncer;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The engine behind a real PgBouncer: one that pools sessions, or one that pools transactions beside a direct address. */
@Tag("slow")
class PoolerTest {
    private static final Pattern QUERY = Pattern.compile("connect_query='([^\n]*)'\n");
    private static final int CALLS = 40;

    @ParameterizedTest
    @CsvSource({
        "transaction, &prepareThreshold=0, ''",
        "transaction, &prepareThreshold=0, default_pool_size = 1", // One session gets all statements by chance.
        "transaction, &prepareThreshold=0, default_pool_size = 3",
        "statement, &prepareThreshold=0, ''"
    })
    void aPoolerOfTransactionsIsRefused(String mode, String parameters, String more) {
        try (var bouncer = PgBouncer.start(mode, LoopbackPort.free(), more)) {
            assertRefusal(MainTest.lineOf("--port", "0", "--database-url", bouncer.url() + parameters));
        }
    }

    /** Here the driver prepares statements, which other sessions do not know. */
    @Test
    void theRefusalIsAllThatTheProcessSays() throws Exception {
        try (var bouncer = PgBouncer.start("transaction")) {
            var engine = EngineProcess.spawn("--port", "0", "--database-url", bouncer.url());
            var lines = engine.errorReader().lines().toList();
            assertThat(lines).singleElement().asString().startsWith("engine: ");
            assertRefusal(lines.getFirst().substring("engine: ".length()));
            assertThat(engine.waitFor()).isEqualTo(1);
        }
    }

    private static void assertRefusal(String line) {
        assertThat(line)
                .startsWith("the database's notifications (NOTIFY) do not arrive")
                .contains("pool_mode = session")
                .endsWith(" (the database of ENGINE_DATABASE_URL)");
    }

    @Test
    void aPoolerOfSessionsWorksAndItsChangeToTransactionsEndsTheCacheOfCallers() {
        var tenant = new TestTenant();
        var bouncer = PgBouncer.start("session");
        try (var engine = TestServer.start(Map.of("ENGINE_DATABASE_URL", bouncer.url() + "&prepareThreshold=0"))) {
            var first = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
            assertThat(status(engine, first)).isEqualTo(200);
            revoke(tenant, first);
            await().until(() -> status(engine, first) == 401);

            bouncer.close();
            bouncer = PgBouncer.start("transaction", bouncer.port());
            var second = tenant.key(ClientApi.REST, "ben", Role.MEMBER, List.of("*"));
            await().until(() -> status(engine, second) == 200);
            revoke(tenant, second);
            await().until(() -> status(engine, second) == 401);
        } finally {
            bouncer.close();
        }
    }

    @Test
    void theSettingsOfConnectionsAreInForceThroughIt() {
        try (var bouncer = PgBouncer.start("session");
                var db = TestDatabase.connect(bouncer.url(), 1)) {
            assertThat(db.sql("""
                    SELECT current_setting('plan_cache_mode') || ' ' || current_setting('enable_seqscan') || ' '
                           || current_setting('statement_timeout') || ' '
                           || current_setting('idle_in_transaction_session_timeout') AS settings
                    """).one(row -> row.text("settings"))).contains("force_generic_plan off 2min 30s");
        }
    }

    @Test
    void aPoolerThatResetsTheSettingsIsRefused() {
        try (var bouncer = PgBouncer.start("transaction", LoopbackPort.free(), "server_reset_query_always = 1");
                var db = TestDatabase.connect(bouncer.url() + "&prepareThreshold=0", 1)) {
            assertThatExceptionOfType(DatabaseFailure.class)
                    .isThrownBy(db::awaitConnection)
                    .withMessageMatching(
                            "the database does not keep the settings of a connection: \\w+ is \\w+, not \\w+\\. .*pool_mode = session.*");
        }
    }

    @Test
    void aPoolerOfTransactionsWorksBesideADirectAddress() {
        var documented = QUERY.matcher(Repository.text(Repository.file("docs/operations.md")));
        assertThat(documented.find()).isTrue();
        var tenant = new TestTenant();
        try (var bouncer = PgBouncer.ofTransactions(documented.group(1));
                var engine = TestServer.start(Map.of(
                        "ENGINE_DATABASE_URL", bouncer.url(),
                        "ENGINE_DATABASE_NOTIFY_URL", TestDatabase.url()))) {
            var key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
            var created = Concurrently.all(IntStream.range(0, CALLS)
                    .<Callable<Integer>>mapToObj(i -> () -> create(engine, key, "pooled " + i))
                    .toList());
            assertThat(created).containsOnly(200);
            assertThat(status(engine, key)).isEqualTo(200);
            revoke(tenant, key);
            await().until(() -> status(engine, key) == 401);
        }
    }

    @Test
    void aPoolerOfTransactionsThatMakesNoSettingsIsRefused() {
        try (var bouncer = PgBouncer.start("transaction")) {
            assertThat(MainTest.lineOf(
                            "--port",
                            "0",
                            "--database-url",
                            bouncer.url(),
                            "--database-notify-url",
                            TestDatabase.url()))
                    .contains("connect_query='SELECT set_config(''enable_seqscan'', ''off'', false), ");
        }
    }

    private static int create(App engine, String key, String name) {
        var body = "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(name);
        return ClientApi.post(engine.baseUrl() + ClientApi.path("AP_Create"), key, body)
                .statusCode();
    }

    private static int status(App engine, String key) {
        return ClientApi.post(engine.baseUrl() + ClientApi.path("AP_List"), key, "{}")
                .statusCode();
    }

    /** Revokes a key as another replica does, which is not behind the pooler. */
    private static void revoke(TestTenant tenant, String key) {
        try (var watch = TestDatabase.watch()) {
            var clock = Clock.systemUTC();
            new KeyStore(TestDatabase.db(), clock, watch)
                    .revoke(tenant.id(ClientApi.REST), ApiKey.parse(key).id(), clock.instant());
        }
    }
}
