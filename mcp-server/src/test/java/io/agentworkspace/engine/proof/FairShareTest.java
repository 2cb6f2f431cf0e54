package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One key keeps the database as busy as it can without affecting another tenant. A lock that the test holds makes calls slow.
 */
@Tag("tenancy")
class FairShareTest {
    private static final String NAME = "fair_share";
    private static final Clock CLOCK = Clock.systemUTC();
    private static final int CALLS = 24;

    private static Db db;
    private static Replica engine;
    private static String greedy;
    private static String other;

    @BeforeAll
    static void start() {
        db = TestDatabase.fresh(NAME);
        engine =
                Replica.start(Map.of("ENGINE_DATABASE_URL", TestDatabase.url(NAME), "ENGINE_DATABASE_POOL_SIZE", "12"));
        greedy = key("greedy");
        other = key("other");
        assertThat(call(ClientApi.REST, greedy, "MB_Create", "{'vx':{'name':'Box'}}")
                        .code())
                .isZero();
        assertThat(call(ClientApi.REST, other, "US_Read", "{}").code()).isZero();
    }

    @AfterAll
    static void stop() {
        engine.close();
        db.close();
    }

    /** Returns the owner's key of a new tenant. */
    private static String key(String name) {
        var tenants = new TenantStore(db);
        var tenant = tenants.create(Name.of(name), "unlimited", CLOCK.instant());
        var user = tenants.createUser(tenant, Name.of(name), Role.OWNER, CLOCK.instant());
        var key = ApiKey.generate(new SecureRandom());
        try (var watch = new CallerChanges(db)) {
            new KeyStore(db, CLOCK, watch)
                    .insert(key, new KeyStore.KeyOwner(tenant, user, "test", List.of("*")), CLOCK.instant());
        }
        return key.reveal();
    }

    private static io.agentworkspace.engine.testing.Reply call(
            ClientApi api, String key, String service, String arguments) {
        return api.call(
                engine.url(),
                key,
                service,
                Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the number of connections that wait for the lock. */
    private static long heldUp() {
        return db.sql("""
                SELECT count(*) FROM pg_stat_activity WHERE datname = :name AND wait_event_type = 'Lock'
                """).set("name", NAME).one(row -> row.number(1)).orElseThrow();
    }

    /**
     * Returns whether a call was served while every call of the other key was still waiting. Those give up after some
     * seconds; if they have already ended on a slow machine, the test tries again.
     */
    private static boolean isServedFirst(ClientApi api) {
        var answered = new AtomicInteger();
        var served = new boolean[1];
        var calls = new Thread[CALLS];
        db.transaction(() -> {
            db.sql("LOCK TABLE bank_grant IN ACCESS EXCLUSIVE MODE").run();
            for (var i = 0; i < CALLS; i++) {
                calls[i] = Thread.startVirtualThread(() -> {
                    call(api, greedy, "MB_Permissions", "{'target':{'bank':'Box'}}");
                    answered.incrementAndGet();
                });
            }
            await().until(() -> heldUp() == 4 || answered.get() > 0);
            served[0] = call(api, other, "US_Read", "{}").code() == 0 && answered.get() == 0;
            return true;
        });
        for (var call : calls) {
            join(call);
        }
        return served[0];
    }

    private static void join(Thread thread) {
        try {
            thread.join(HangLimit.TIME);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void anotherTenantIsServedWhileOneKeyWaitsWithTwentyFourHeavyCalls(ClientApi api) {
        await().until(() -> isServedFirst(api));
    }
}
