package io.agentworkspace.engine.workspace.guard;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Set;

/** Notes that a task has changed its state, which counts as progress: the loop guard then counts afresh. */
public final class ProgressStore {
    /** How often one task counts in an hour: agents that change its state to and fro get nowhere. */
    private static final int MOST = 12;

    private static final String NOTE = """
            WITH changed AS (
                SELECT t.*
                  FROM task t
                 WHERE t.tenant_id = :tenant AND t.id = CAST(:task AS uuid)
                   AND :most >= (SELECT count(*)
                                   FROM task_change c
                                  WHERE c.tenant_id = :tenant AND c.task_id = t.id AND c.revision > t.revision - 100
                                    AND c.at > :now - INTERVAL '1 hour' AND c.what = ANY (:whats))),
            main AS (
                UPDATE conversation st
                   SET progress_at = :now
                  FROM zone z, changed
                 WHERE z.tenant_id = :tenant AND z.domain_id = :domain AND z.name_key = 'main'
                   AND st.tenant_id = :tenant AND st.id = z.conversation_id)
            INSERT INTO guard_received (tenant_id, agent_id, progress_at)
            SELECT a.tenant_id, a.id, :now
              FROM changed t
              JOIN agent a ON a.tenant_id = :tenant
                          AND a.id IN (t.creator_id, t.assignee_id, t.holder_id, CAST(:speaker AS bigint))
             ORDER BY a.id
            ON CONFLICT (tenant_id, agent_id) DO UPDATE
               SET progress_at = greatest(guard_received.progress_at, excluded.progress_at)
            """;

    private final Db db;

    public ProgressStore(Db db) {
        this.db = db;
    }

    /**
     * Notes progress of the domain, and of the agents that created, have and changed the task.
     *
     * @param whats the words in a task's history for a change of its state
     */
    public void note(Call call, long domain, String task, Set<String> whats) {
        db.sql(call, NOTE)
                .set("most", MOST)
                .set("whats", whats.toArray(String[]::new))
                .set("domain", domain)
                .set("task", task)
                .set("speaker", call.context().speaker().id())
                .run();
    }
}
