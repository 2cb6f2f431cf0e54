package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The first start on a database of its own. */
class FirstStartTest {
    private static Optional<FirstKey> start(Db db) {
        var settings = Settings.read(
                Map.of("ENGINE_DATABASE_URL", "jdbc:postgresql://127.0.0.1/x", "ENGINE_PLAN", "team"), List.of());
        try (var watch = new CallerChanges(db)) {
            return new FirstStart(db, new KeyStore(db, Clock.systemUTC(), watch), Clock.systemUTC()).run(settings);
        }
    }

    private static List<String> found(Db db) {
        return db.sql("""
                SELECT concat_ws(' ', t.name, p.plan, u.name, u.role, count(k.id)) AS found
                  FROM tenant t JOIN tenant_plan p USING (tenant_id) JOIN app_user u USING (tenant_id) JOIN api_key k USING (tenant_id)
                 GROUP BY t.name, p.plan, u.name, u.role
                """).list(row -> row.text("found"));
    }

    @Test
    void ofSeveralReplicasOneGetsTheKey() {
        try (var db = TestDatabase.fresh("first_start")) {
            assertThat(Concurrently.of(3, _ -> start(db)))
                    .filteredOn(Optional::isPresent)
                    .hasSize(1);
            assertThat(found(db)).containsExactly("default team owner owner 1");
            assertThat(start(db)).isEmpty();
        }
    }

    /** The tenant and its owner are two transactions. */
    @Test
    void whatWasInterruptedIsCompletedByTheNextStart() {
        try (var db = TestDatabase.fresh("first_start_again")) {
            new TenantStore(db).create(Name.of("default"), "free", Instant.now());
            assertThat(start(db)).isPresent();
            assertThat(found(db)).containsExactly("default team owner owner 1");
            assertThat(start(db)).isEmpty();
        }
    }
}
