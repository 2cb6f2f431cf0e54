package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.wire.TaskRecord.State;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Reads which questions of a caller to an agent are tasks, and their states. What is said in them, AP_Read shows. */
public final class TaskQueries {
    private static final String PARTIES = """
        SELECT a.id AS agent, s.id AS self
          FROM agent a
          LEFT JOIN agent s ON s.tenant_id = :tenant AND s.name_key = COALESCE(CAST(:self_key AS text), '') AND s.destroyed_at IS NULL
         WHERE a.tenant_id = :tenant AND a.name_key = CAST(:agent_key AS text) AND a.destroyed_at IS NULL
        """;

    /** Questions of the speaker to the agent, each with its state, when that began, and which messages are the last. */
    private static final String TASKS = """
        WITH RECURSIVE own AS (
            SELECT q.*,
                   q.answered_at IS NULL AND q.withdrawn_at IS NULL
                   AND (q.expires_at IS NULL OR q.expires_at > clock_timestamp()) AS open
              FROM question q
             WHERE q.tenant_id = :tenant AND q.asker_id = :speaker AND q.to_id = :agent
               AND (CAST(:task AS uuid) IS NULL OR q.id = CAST(:task AS uuid))
             ORDER BY q.created_at DESC
             LIMIT :most),
        thread AS (
            SELECT o.id AS task, m.id, m.conversation_id, m.seq, m.speaker_id, m.created_at, m.delivered_at
              FROM own o JOIN message m ON m.tenant_id = :tenant AND m.id = o.id
             UNION ALL
            SELECT t.task, x.id, x.conversation_id, x.seq, x.speaker_id, x.created_at, x.delivered_at
              FROM thread t JOIN message x ON x.tenant_id = :tenant AND x.answers = t.id),
        counted AS (SELECT t.*, row_number() OVER (PARTITION BY t.task ORDER BY t.seq DESC) AS nth FROM thread t),
        listed AS (
            SELECT o.id, COALESCE(o.answered_at, o.withdrawn_at, CASE WHEN NOT o.open THEN o.expires_at WHEN l.speaker_id = :speaker THEN COALESCE(l.delivered_at, l.created_at) ELSE l.created_at END) AS at,
                   CASE WHEN o.answered_at IS NOT NULL THEN 'COMPLETED' WHEN o.withdrawn_at IS NOT NULL THEN 'CANCELED'
                        WHEN NOT o.open THEN 'FAILED' WHEN l.speaker_id <> :speaker THEN 'INPUT_REQUIRED'
                        WHEN l.delivered_at IS NOT NULL THEN 'WORKING' ELSE 'SUBMITTED' END AS state,
                   l.conversation_id, l.id AS last_id, l.seq AS last_seq, COALESCE(b.seq, 0) AS before_seq
              FROM own o
              JOIN counted l ON l.task = o.id AND l.nth = 1
              LEFT JOIN counted b ON b.task = o.id AND b.nth = :history + 1),
        chosen AS (
            SELECT * FROM listed
             WHERE (CAST(:state AS text) IS NULL OR state = :state)
               AND (CAST(:since AS timestamptz) IS NULL OR at >= :since))
        SELECT c.*, (SELECT count(*) FROM chosen) AS total
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

    /**
     * A task as it is stored.
     *
     * @param at when its state began
     * @param last the number of its last message
     * @param before the number of the message after which the wanted history begins; 0 if that is all of it
     * @param total how many tasks the list has
     */
    record Listed(
            UUID id, State state, Instant at, long conversation, String lastId, long last, long before, long total) {
        /** Returns what changes whenever there may be news. */
        String version() {
            return state + " " + lastId;
        }
    }

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

    /** @param history how many messages of each task are wanted */
    List<Listed> list(AgentPlace place, Wanted wanted, int history) {
        return tasks(place, null, wanted, history);
    }

    /** Finds a task of the speaker at the agent. */
    Optional<Listed> find(AgentPlace place, UUID task, int history) {
        return tasks(place, task, new Wanted(null, null, null, null, 1), history).stream()
                .findFirst();
    }

    private List<Listed> tasks(AgentPlace place, @Nullable UUID task, Wanted wanted, int history) {
        return db.sql(TASKS)
                .set("tenant", place.tenant())
                .set("speaker", place.speaker())
                .set("agent", place.agent())
                .set("task", task)
                .set("most", MOST)
                .set("history", history)
                .set("state", wanted.state())
                .set("since", wanted.since())
                .set("before", wanted.before())
                .set("after", wanted.after())
                .set("limit", wanted.limit())
                .list(row -> new Listed(
                        UUID.fromString(row.text("id")),
                        State.valueOf(row.text("state")),
                        Objects.requireNonNull(row.instantOrNull("at")),
                        row.number("conversation_id"),
                        row.text("last_id"),
                        row.number("last_seq"),
                        row.number("before_seq"),
                        row.number("total")));
    }
}
