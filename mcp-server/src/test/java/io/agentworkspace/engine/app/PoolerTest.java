package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.db.DatabaseFailure;
import io.agentworkspace.engine.db.embedded.LoopbackPort;
import io.agentworkspace.engine.keys.KeyStore;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.PgBouncer;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The engine behind a real PgBouncer. Only one that pools sessions passes notifications on. */
@Tag("slow")
class PoolerTest {
    @ParameterizedTest
    @CsvSource({
        "transaction, &prepareThreshold=0, ''",
        "transaction, &prepareThreshold=0, default_pool_size = 1", // One session gets all statements by chance.
        "transaction, &prepareThreshold=0, default_pool_size = 3",
        "transaction, '', ''",
        "statement, &prepareThreshold=0, ''"
    })
    void aPoolerOfTransactionsIsRefusedInOneLine(String mode, String parameters, String more) throws Exception {
        try (var bouncer = PgBouncer.start(mode, LoopbackPort.free(), more)) {
            var engine = EngineProcess.spawn("--port", "0", "--database-url", bouncer.url() + parameters);
            assertThat(engine.errorReader().lines())
                    .singleElement()
                    .asString()
                    .startsWith("engine: the database's notifications (NOTIFY) do not arrive")
                    .contains("pool_mode = session")
                    .endsWith(" (the database of ENGINE_DATABASE_URL)");
            assertThat(engine.waitFor()).isEqualTo(1);
        }
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
