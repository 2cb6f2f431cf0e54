package io.agentworkspace.engine.demo;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.secrets.Vault;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The demo's row, by which the replicas agree on who takes the next step. */
final class DemoStore {
    static final String RUNNING = "running";
    static final String PAUSED = "paused";
    static final String WAITING = "waiting";
    static final String FINISHED = "finished";

    /** A replica that has not taken the next step within this time is considered gone. */
    private static final Duration HELD = Duration.ofSeconds(15);

    private final Db db;
    private final Vault vault;

    DemoStore(Db db, Vault vault) {
        this.db = db;
        this.vault = vault;
    }

    /** @param branch the person's answer, once there is one */
    record State(
            UUID run,
            String state,
            int step,
            @Nullable String branch,
            int seconds,
            Instant dueAt,
            @Nullable String last,
            String keys,
            List<String> keyIds) {
        boolean isOver() {
            return state.equals(FINISHED) || state.equals(PAUSED);
        }
    }

    /** @return whether there was no demo yet */
    boolean begin(long tenant, int seconds, Map<String, String> keys, List<String> keyIds, Instant now) {
        return db.sql("""
                INSERT INTO demo (tenant_id, run, state, seconds, due_at, held_until, keys, key_ids)
                VALUES (:tenant, gen_random_uuid(), 'running', :seconds, :now, :now, :keys, :ids)
                ON CONFLICT DO NOTHING
                """)
                        .set("tenant", tenant)
                        .set("seconds", seconds)
                        .set("now", now)
                        .set("keys", vault.seal(place(tenant), Json.bytes(Json.tree(keys))))
                        .set("ids", keyIds)
                        .run()
                > 0;
    }

    private static String place(long tenant) {
        return "demo " + tenant;
    }

    ObjectNode keys(long tenant, State state) {
        return Json.readObject(vault.open(place(tenant), state.keys()));
    }

    Optional<State> find(long tenant) {
        return db.sql("SELECT * FROM demo WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .one(DemoStore::read);
    }

    private static State read(Row row) throws SQLException {
        return new State(
                UUID.fromString(row.text("run")),
                row.text("state"),
                (int) row.number("step"),
                row.textOrNull("branch"),
                (int) row.number("seconds"),
                Objects.requireNonNull(row.instantOrNull("due_at")),
                row.textOrNull("last"),
                row.text("keys"),
                row.texts("key_ids"));
    }

    /** Takes the demo for this replica, if no other has it. */
    boolean hold(long tenant, Instant now) {
        return db.sql("""
                UPDATE demo SET held_until = :until
                 WHERE tenant_id = :tenant AND state IN ('running', 'waiting') AND held_until <= :now
                """)
                        .set("tenant", tenant)
                        .set("now", now)
                        .set("until", now.plus(HELD))
                        .run()
                > 0;
    }

    /** Keeps the demo for this replica, and returns its state; empty if the demo was removed or restarted. */
    Optional<State> keep(long tenant, UUID run, Instant now) {
        return db.sql("""
                UPDATE demo SET held_until = CASE WHEN state IN ('running', 'waiting') THEN :until ELSE held_until END
                 WHERE tenant_id = :tenant AND run = :run
                RETURNING *
                """)
                .set("tenant", tenant)
                .set("run", run)
                .set("until", now.plus(HELD))
                .one(DemoStore::read);
    }

    /** Advances to another step, unless the demo was paused or restarted in the meantime. */
    void advance(
            long tenant,
            State from,
            String state,
            int step,
            @Nullable String branch,
            @Nullable String last,
            Instant due) {
        db.sql("""
                UPDATE demo
                   SET step = :step, branch = :branch, last = :last, due_at = :due,
                       state = CASE WHEN state = 'paused' THEN state ELSE :state END
                 WHERE tenant_id = :tenant AND run = :run AND step = :from
                """)
                .set("tenant", tenant)
                .set("run", from.run())
                .set("from", from.step())
                .set("step", step)
                .set("branch", branch)
                .set("last", last)
                .set("due", due)
                .set("state", state)
                .run();
    }

    void pause(long tenant) {
        db.sql("UPDATE demo SET state = 'paused' WHERE tenant_id = :tenant AND state IN ('running', 'waiting')")
                .set("tenant", tenant)
                .run();
    }

    void resume(long tenant, Instant now) {
        db.sql(
                        "UPDATE demo SET state = 'running', due_at = :now, held_until = :now WHERE tenant_id = :tenant AND state = 'paused'")
                .set("tenant", tenant)
                .set("now", now)
                .run();
    }

    void delete(long tenant) {
        db.sql("DELETE FROM demo WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .run();
    }
}
