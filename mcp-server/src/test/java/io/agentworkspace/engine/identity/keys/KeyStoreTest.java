package io.agentworkspace.engine.identity.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.CountingProxy;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How often the keys are looked up in the database. */
class KeyStoreTest {
    private static final int CALLERS = 8;
    private static final int CALLS = 100;

    private final ApiKey key = ApiKey.parse(new TestTenant().key(ClientApi.REST, "ann", Role.OWNER, List.of("*")));

    private void authenticateAtTheSameTime(KeyStore keys) {
        Concurrently.of(CALLERS, _ -> {
            for (var i = 0; i < CALLS; i++) {
                assertThat(keys.authenticate(key).userName()).isEqualTo("ann");
            }
            return true;
        });
    }

    @Test
    void callersAtTheSameTimeShareOneLookUp() throws IOException {
        var database = URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()));
        try (var proxy = new CountingProxy(database.getPort());
                var db = TestDatabase.connect(
                        "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable".formatted(proxy.port()), CALLERS);
                var watch = TestDatabase.watch()) {
            proxy.watch("JOIN tenant t ON t.tenant_id = k.tenant_id");
            var keys = new KeyStore(db, Clock.systemUTC(), watch);
            await().until(watch::isCurrent);
            authenticateAtTheSameTime(keys);
            assertThat(proxy.watched()).isEqualTo(1);

            // A wrong secret might be a new one, so that caller looks for itself; the result serves the others.
            assertThat(keys.holder(key.id(), new byte[32])).isEmpty();
            assertThat(proxy.watched()).isEqualTo(2);
            authenticateAtTheSameTime(keys);
            assertThat(proxy.watched()).isEqualTo(2);
        }
    }

    /** While changes may be missed, a result serves every call from before its look-up, and no later one. */
    @Test
    void soTheyDoWhileChangesMayBeMissed() throws Exception {
        var database = URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()));
        var watch = TestDatabase.watch();
        watch.close();
        try (var proxy = new CountingProxy(database.getPort());
                var db = TestDatabase.connect(
                        "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable".formatted(proxy.port()), CALLERS)) {
            proxy.watch("JOIN tenant t ON t.tenant_id = k.tenant_id");
            var keys = new KeyStore(db, Clock.systemUTC(), watch);
            await().until(() -> !watch.isCurrent());
            keys.authenticate(key);
            keys.authenticate(key);
            assertThat(proxy.watched()).isEqualTo(2);
            var callers = new ArrayList<Thread>();
            TestDatabase.db().transaction(() -> {
                TestDatabase.db()
                        .sql("LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE")
                        .run();
                for (var i = 0; i < CALLERS; i++) {
                    callers.add(Thread.ofPlatform().start(() -> keys.authenticate(key)));
                }
                await().until(() -> callers.stream()
                                .filter(caller -> caller.getState() == Thread.State.BLOCKED)
                                .count()
                        == CALLERS - 1);
                return true;
            });
            for (var caller : callers) {
                caller.join();
            }
            assertThat(proxy.watched()).isEqualTo(4);
        }
    }
}
