package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.workspace.messages.NoticeStore;
import io.agentworkspace.engine.workspace.tasks.TaskRow.StoredTask;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Frees tasks whose lease has ended by the clock of the database, and tells who held them. Any replica may do it: rows that
 * another one frees are skipped.
 */
final class TaskLeaseStore {
    private static final int PORTION = 50;

    private static final String FREE = SqlTemplate.of("""
            WITH expired AS (
                SELECT tenant_id, id, holder_id
                  FROM task
                 WHERE holder_id IS NOT NULL AND lease_until <= statement_timestamp()
                 ORDER BY lease_until
                 LIMIT :portion
                   FOR NO KEY UPDATE SKIP LOCKED),
            t AS (
                UPDATE task t
                   SET state = CASE WHEN t.state = 'doing' THEN 'open' ELSE t.state END, holder_id = NULL, lease_until = NULL,
                       revision = t.revision + 1, updated_at = :at
                  FROM expired e
                 WHERE t.tenant_id = e.tenant_id AND t.id = e.id
             RETURNING t.*, e.holder_id AS lost_by),
            noted AS (
                INSERT INTO task_change (tenant_id, task_id, revision, at, by_id, what)
                SELECT tenant_id, id, revision, updated_at, lost_by, 'lost' FROM t)
            SELECT {columns}, t.tenant_id, t.lost_by, {loser} AS loser, d.owner_id, t.creator_id
              FROM t JOIN domain d ON d.tenant_id = t.tenant_id AND d.id = t.domain_id
             ORDER BY d.id, t.id
            """)
            .with("columns", TaskRow.COLUMNS)
            .with("loser", TaskRow.party("t.lost_by"))
            .sql();

    /** Finished tasks. One that was cancelled stays as long as others wait for it. */
    private static final String OLD = Db.oldRows("task", """
            state IN ('done', 'cancelled') AND updated_at <= :until
                   AND (state = 'done'
                        OR NOT EXISTS (SELECT 1 FROM task_order o
                                         JOIN task w ON w.tenant_id = o.tenant_id AND w.id = o.task_id
                                        WHERE o.tenant_id = task.tenant_id AND o.after_id = task.id
                                          AND w.state NOT IN ('done', 'cancelled')))
            """);

    private final Db db;
    private final Clock clock;
    private final EventLog events;
    private final NoticeStore notices;
    private final ChangeStore changes;

    public TaskLeaseStore(Db db, Clock clock, EventLog events) {
        this.db = db;
        this.clock = clock;
        this.events = events;
        this.notices = new NoticeStore(db);
        this.changes = new ChangeStore(db);
    }

    /**
     * A task that was freed.
     *
     * @param speaker who tells it: the owner of the domain, or whoever created the task if the owner has lost it
     */
    private record FreedTask(long tenant, StoredTask task, long loser, String loserName, long speaker) {}

    /** Frees all tasks whose lease has ended. */
    public void free() {
        int freed;
        do {
            freed = freeSome();
            if (freed > 0) {
                events.committed();
            }
        } while (freed == PORTION);
    }

    private int freeSome() {
        var at = clock.instant();
        return db.transaction(() -> {
            var freed = db.sql(FREE)
                    .quiet()
                    .set("portion", PORTION)
                    .set("at", at)
                    .list(row -> {
                        var loser = row.number("lost_by");
                        var owner = row.number("owner_id");
                        return new FreedTask(
                                row.number("tenant_id"),
                                TaskRow.read(row),
                                loser,
                                row.text("loser"),
                                owner == loser ? row.number("creator_id") : owner);
                    });
            freed.forEach(one -> tell(one, at));
            return freed.size();
        });
    }

    private void tell(FreedTask freed, Instant at) {
        var task = freed.task().task();
        var line = TaskNotices.line(task, "lost", "it was held by " + freed.loserName());
        List<Change> notes = new ArrayList<>();
        notices.inMain(freed.tenant(), freed.task().domain(), freed.speaker(), line, at)
                .ifPresent(notes::add);
        notices.direct(freed.tenant(), freed.speaker(), freed.loser(), TaskNotices.inDomain(task, line), at)
                .ifPresent(notes::add);
        var data = TaskNotices.event(task, "lost", freed.loserName());
        db.sql(EventLog.INSERT)
                .set("events", EventLog.rows(freed.tenant(), List.of(Event.of(EventType.TASK_CHANGED, at, data))))
                .run();
        changes.write(freed.tenant(), notes);
    }

    /** Deletes tasks that were finished before, and returns their number. */
    public int purge(Instant until) {
        return db.deleteOld(OLD, until);
    }
}
