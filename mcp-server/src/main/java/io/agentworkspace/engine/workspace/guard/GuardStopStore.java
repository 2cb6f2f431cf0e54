package io.agentworkspace.engine.workspace.guard;

import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.db.AdvisoryLock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Where the loop guard has stopped an agent, and why: for the inbox of the agent's owner. */
public final class GuardStopStore {
    private static final Duration KEPT = Duration.ofDays(2);

    /** Stops of one tenant take turns, so that those of one incident find each other. */
    private static final String TAKE_TURN =
            "SELECT pg_advisory_xact_lock(:lock, CAST(:tenant % 2147483647 AS integer))";

    private static final String PUT = """
            WITH related AS (
                SELECT DISTINCT g.incident
                  FROM guard_stop g
                 WHERE g.tenant_id = :tenant AND g.retry_at > :now AND g.is_zone = :is_zone
                   AND (g.place_id = :place
                        OR (NOT :is_zone AND (g.agent_id IN (:agent, :place) OR g.place_id = :agent)))),
            chosen AS (
                SELECT COALESCE((SELECT min(incident) FROM related), nextval('entity_id')) AS incident),
            merged AS (
                UPDATE guard_stop g
                   SET incident = chosen.incident
                  FROM chosen
                 WHERE g.tenant_id = :tenant AND g.incident IN (SELECT incident FROM related) AND g.incident <> chosen.incident
                   AND NOT (g.agent_id = :agent AND g.place_id = :place)),
            stopped AS (
            INSERT INTO guard_stop AS old (tenant_id, agent_id, place_id, is_zone, seq, note, retry_at, at, incident)
            SELECT a.tenant_id, a.id, :place, :is_zone, :seq, :note, CAST(:retry_at AS timestamptz), :now, chosen.incident
              FROM agent a CROSS JOIN chosen
             WHERE a.tenant_id = :tenant AND a.id = :agent
            ON CONFLICT (tenant_id, agent_id, place_id) DO UPDATE
               SET seq = excluded.seq, note = excluded.note, retry_at = excluded.retry_at, at = excluded.at,
                   incident = excluded.incident, refused = CASE WHEN old.retry_at > excluded.at THEN old.refused + 1 ELSE 1 END)
            SELECT 1
            """;

    private static final String TURN_AND_PUT = TAKE_TURN + ";\n" + PUT;

    private static final String OLD = Db.oldRows("guard_stop", "tenant_id, agent_id, place_id", "at < :until");

    private final Db db;

    public GuardStopStore(Db db) {
        this.db = db;
    }

    /** Records that a message was refused, after the transaction of the call was rolled back. */
    void put(Call call, Context.Ref agent, LoopGuard guard, Problem stop) {
        db.transaction(() -> {
            db.sql(TURN_AND_PUT)
                    .set("lock", AdvisoryLock.GUARD.number)
                    .set("tenant", call.caller().tenant())
                    .set("agent", agent.id())
                    .set("place", guard.placeId())
                    .set("is_zone", guard.isZone())
                    .set("seq", guard.place().seq())
                    .set("note", stop.note())
                    .set("retry_at", stop.beside().get("retry_at"))
                    .set("now", call.now())
                    .run();
            new ChangeStore(db).write(call.caller().tenant(), List.of(Change.presence(agent.id(), "stopped", null)));
            return true;
        });
    }

    /** Deletes stops that nobody is shown any longer. */
    public void purge(Instant now) {
        db.deleteOld(OLD, now.minus(KEPT));
    }
}
