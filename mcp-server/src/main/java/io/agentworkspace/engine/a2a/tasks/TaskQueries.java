package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Reads which questions of a caller to an agent are the tasks of a list. What is in them, AP_Read says. */
public final class TaskQueries {
    private static final String PARTIES = """
        SELECT a.id AS agent, s.id AS self
          FROM agent a
          LEFT JOIN agent s ON s.tenant_id = :tenant AND s.name_key = CAST(:self_key AS text) AND s.destroyed_at IS NULL
         WHERE a.tenant_id = :tenant AND a.name_key = CAST(:agent_key AS text) AND a.destroyed_at IS NULL
        """;

    /** The newest {@link #MOST} questions, each with its state, and when that began. */
    private static final String LIST = """
        WITH RECURSIVE own AS (
            SELECT q.*,
                   q.answered_at IS NULL AND q.withdrawn_at IS NULL
                   AND (q.expires_at IS NULL OR q.expires_at > clock_timestamp()) AS open
              FROM question q
             WHERE q.tenant_id = :tenant AND q.asker_id = :speaker AND q.to_id = :agent
             ORDER BY q.created_at DESC
             LIMIT :most),
        thread AS (
            SELECT o.id AS task, m.id, m.seq, m.speaker_id, m.created_at, m.delivered_at
              FROM own o JOIN message m ON m.tenant_id = :tenant AND m.id = o.id
             UNION ALL
            SELECT t.task, x.id, x.seq, x.speaker_id, x.created_at, x.delivered_at
              FROM thread t JOIN message x ON x.tenant_id = :tenant AND x.answers = t.id),
        latest AS (SELECT DISTINCT ON (t.task) t.* FROM thread t ORDER BY t.task, t.seq DESC),
        listed AS (
            SELECT o.id, COALESCE(o.answered_at, o.withdrawn_at, l.created_at) AS at,
                   CASE WHEN o.answered_at IS NOT NULL THEN 'COMPLETED' WHEN o.withdrawn_at IS NOT NULL THEN 'CANCELED'
                        WHEN NOT o.open THEN 'FAILED' WHEN l.speaker_id <> :speaker THEN 'INPUT_REQUIRED'
                        WHEN l.delivered_at IS NOT NULL THEN 'WORKING' ELSE 'SUBMITTED' END AS state
              FROM own o JOIN latest l ON l.task = o.id),
        chosen AS (
            SELECT * FROM listed
             WHERE (CAST(:state AS text) IS NULL OR state = :state)
               AND (CAST(:since AS timestamptz) IS NULL OR at >= :since))
        SELECT c.id, c.at, (SELECT count(*) FROM chosen) AS total
          FROM chosen c
         WHERE CAST(:before AS timestamptz) IS NULL OR (c.at, c.id) < (:before, CAST(:after AS uuid))
         ORDER BY c.at DESC, c.id DESC
         LIMIT :limit
        """;

    private static final int MOST = 1_000;

    private final Db db;

    public TaskQueries(Db db) {
        this.db = db;
    }

    /**
     * What is asked for.
     *
     * @param state the name of a state; null for all
     * @param before when the last task of the page before began its state; null for the first page
     * @param after the id of that task
     */
    record Wanted(
            @Nullable String state,
            @Nullable Instant since,
            @Nullable Instant before,
            @Nullable UUID after,
            int limit) {}

    /** A task of a list, and how many there are. */
    record Listed(UUID id, Instant at, long total) {}

    AgentPlace place(Caller caller, @Nullable String self, ObjectNode agent) {
        var name = agent.path("name").asString("");
        return db.sql(PARTIES)
                .set("tenant", caller.tenant())
                .set("agent_key", Name.key(name))
                .set("self_key", self == null ? null : Name.key(self))
                .one(row -> {
                    var own = row.numberOrNull("self");
                    return new AgentPlace(
                            caller.tenant(),
                            own == null ? caller.user() : own,
                            own == null ? "user" : "agent",
                            own == null || self == null ? caller.userName() : self,
                            row.number("agent"),
                            agent);
                })
                .orElseThrow(() -> Problem.notFound("agent", name, List.of()));
    }

    List<Listed> list(AgentPlace place, Wanted wanted) {
        return db.sql(LIST)
                .set("tenant", place.tenant())
                .set("speaker", place.speaker())
                .set("agent", place.agent())
                .set("most", MOST)
                .set("state", wanted.state())
                .set("since", wanted.since())
                .set("before", wanted.before())
                .set("after", wanted.after())
                .set("limit", wanted.limit())
                .list(row -> new Listed(
                        UUID.fromString(row.text("id")),
                        Objects.requireNonNull(row.instantOrNull("at")),
                        row.number("total")));
    }
}
