package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals.Signal;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** Stores the answers that reached another replica than the call that waits for them, and what came of them. */
final class RoundStore {
    private static final String EXPIRED = Db.oldRows("upstream_round", "tenant_id, id", "expires_at <= :until");

    private final Db db;

    RoundStore(Db db) {
        this.db = db;
    }

    /** Stores answers, and signals that to all replicas. */
    void insert(long tenant, UUID id, String call, ObjectNode answers, Instant expires, Signal signal) {
        db.transaction(() -> {
            db.sql("""
                    INSERT INTO upstream_round (tenant_id, id, call, answers, expires_at)
                    VALUES (:tenant, :id, :call, :answers, :expires)
                    """)
                    .set("tenant", tenant)
                    .set("id", id)
                    .set("call", call)
                    .set("answers", Json.text(answers))
                    .set("expires", expires)
                    .run();
            return signal(signal);
        });
    }

    Optional<ObjectNode> answers(long tenant, UUID id) {
        return db.sql("SELECT r.answers FROM upstream_round r WHERE r.tenant_id = :tenant AND r.id = :id")
                .set("tenant", tenant)
                .set("id", id)
                .one(row -> Json.readValue(row.text("answers"), ObjectNode.class));
    }

    /** Stores what came of the answers, and signals that to all replicas. */
    void finish(long tenant, UUID id, ObjectNode outcome, Signal signal) {
        db.transaction(() -> {
            db.sql("UPDATE upstream_round SET outcome = :outcome WHERE tenant_id = :tenant AND id = :id")
                    .set("tenant", tenant)
                    .set("id", id)
                    .set("outcome", Json.text(outcome))
                    .run();
            return signal(signal);
        });
    }

    /** Returns what came of the answers, and deletes both. Empty if nothing came yet. */
    Optional<ObjectNode> take(long tenant, UUID id) {
        return db.sql("""
                DELETE FROM upstream_round
                 WHERE tenant_id = :tenant AND id = :id AND outcome IS NOT NULL
                RETURNING outcome
                """)
                .set("tenant", tenant)
                .set("id", id)
                .one(row -> Json.readValue(row.text("outcome"), ObjectNode.class));
    }

    private boolean signal(Signal signal) {
        return db.sql("SELECT pg_notify('changes', :signal)")
                .set("signal", Json.text(signal))
                .one(_ -> true)
                .orElse(false);
    }

    void purge(Instant now) {
        db.deleteOld(EXPIRED, now);
    }
}
