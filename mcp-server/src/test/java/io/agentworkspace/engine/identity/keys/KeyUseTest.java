package io.agentworkspace.engine.identity.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.testing.TestDatabase;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The recorded use of keys, as it is written and read. */
class KeyUseTest {
    private static final Db DB = TestDatabase.db();
    private static final Clock CLOCK = Clock.systemUTC();

    private final KeyUse use = new KeyUse(DB, CLOCK);
    private final long tenant;
    private final long user;
    private final ApiKey key = ApiKey.generate(new SecureRandom());

    KeyUseTest() {
        var tenants = new TenantStore(DB);
        tenant = tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", CLOCK.instant());
        user = tenants.createUser(tenant, Name.of("ann"), Role.MEMBER, CLOCK.instant());
        insert(key);
    }

    private void insert(ApiKey made) {
        try (var watch = TestDatabase.watch()) {
            new KeyStore(DB, CLOCK, watch)
                    .insert(made, new KeyStore.KeyOwner(tenant, user, "test", List.of("*")), CLOCK.instant());
        }
    }

    private Caller caller() {
        var credential = new Credential(key.id(), false, Toolset.EVERYTHING, false, null, false);
        return new Caller(tenant, "t", user, "ann", Role.MEMBER, Set.of("*"), "key:" + key.id(), null, credential);
    }

    private List<Long> calls() {
        return DB.sql("SELECT calls FROM key_usage WHERE tenant_id = :tenant ORDER BY day, tool")
                .set("tenant", tenant)
                .list(row -> row.number("calls"));
    }

    @Test
    void whatCannotBeWrittenIsWrittenLater() {
        use.record(caller(), "AP_List");
        use.seen(caller(), "first");
        DB.transaction(() -> {
            assertThatThrownBy(() -> DB.sql("SELECT 1 / 0").one(_ -> 1)).isInstanceOf(SqlFailure.class);
            assertThatThrownBy(use::flush).isInstanceOf(SqlFailure.class);
            return true;
        });
        assertThat(calls()).isEmpty();
        use.record(caller(), "AP_List");
        use.seen(caller(), null);
        use.flush();
        use.flush();
        assertThat(calls()).containsExactly(2L);
        assertThat(DB.sql("SELECT client FROM key_seen WHERE tenant_id = :tenant")
                        .set("tenant", tenant)
                        .one(row -> row.text("client")))
                .contains("first");
    }

    @Test
    void theLastUseOfAKeyIsWrittenEvenIfItsCommandsCannotBe() {
        use.record(caller(), "\0");
        use.seen(caller(), "first");
        assertThatThrownBy(use::flush).isInstanceOf(SqlFailure.class);
        assertThat(DB.sql("SELECT client FROM key_seen WHERE tenant_id = :tenant")
                        .set("tenant", tenant)
                        .one(row -> row.text("client")))
                .contains("first");
    }

    @Test
    void whatIsOldIsClearedAway() {
        var now = CLOCK.instant();
        DB.sql("""
                INSERT INTO key_usage (tenant_id, key_id, day, tool, calls, last_at)
                SELECT :tenant, :id, (CAST(:now AS timestamptz) AT TIME ZONE 'UTC')::date - d, 'AP_List', d, :now
                  FROM generate_series(0, 2000) d
                """).set("tenant", tenant).set("id", key.id()).set("now", now).run();
        var ended = child(now.minus(Duration.ofDays(31)));
        var endedLately = child(now.minus(Duration.ofDays(29)));
        use.purge(now);
        assertThat(calls()).hasSize(31).allMatch(days -> days <= 30);
        assertThat(DB.sql("SELECT id FROM api_key WHERE tenant_id = :tenant")
                        .set("tenant", tenant)
                        .list(row -> row.text("id")))
                .containsExactlyInAnyOrder(key.id(), endedLately.id())
                .doesNotContain(ended.id());
    }

    private ApiKey child(Instant end) {
        var child = ApiKey.generate(new SecureRandom());
        insert(child);
        DB.sql("UPDATE api_key SET parent_id = :parent, expires_at = :end WHERE tenant_id = :tenant AND id = :id")
                .set("parent", key.id())
                .set("end", end)
                .set("tenant", tenant)
                .set("id", child.id())
                .run();
        return child;
    }
}
