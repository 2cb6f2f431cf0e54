package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.workspace.messages.NoticeStore;
import io.agentworkspace.engine.workspace.tasks.TaskRow.StoredTask;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongToIntFunction;

/**
 * The leases of tasks and reservations: renews them while their holders work, reminds holders five minutes before one ends, and
 * frees tasks whose lease has ended. Leases end by the clock of the database when a statement begins.
 */
public final class LeaseStore {
    private static final int PORTION = 50;

    private static final String RENEW = SqlTemplate.of("WITH renewed AS ({tasks}) {reservations}")
            .with("tasks", renewing("task"))
            .with("reservations", renewing("reservation"))
            .sql();

    /** A lease is written at most once a minute; a short one each quarter of it. */
    private static String renewing(String table) {
        return SqlTemplate.of("""
                UPDATE {table} held
                   SET lease_until = due.until, reminded = false
                  FROM (SELECT id, date_trunc('milliseconds', statement_timestamp()) + lease AS until
                          FROM {table}
                         WHERE tenant_id = :tenant AND holder_id = :holder AND lease_until > statement_timestamp()
                           AND lease_until < statement_timestamp() + lease - least(INTERVAL '1 minute', lease / 4)
                        OFFSET 0) due
                 WHERE held.tenant_id = :tenant AND held.id = due.id AND held.holder_id = :holder
                   AND held.lease_until > statement_timestamp()
                """).with("table", table).sql();
    }

    private static final String SOON = """
            NOT reminded AND lease > INTERVAL '5 minutes' AND lease_until > statement_timestamp()
                   AND lease_until <= statement_timestamp() + INTERVAL '5 minutes'
            """;

    private static final String TASK_SOON = "holder_id IS NOT NULL AND " + SOON;

    private static final String TASK_ENDED = "holder_id IS NOT NULL AND lease_until <= statement_timestamp()";

    private static final String REMIND_OF_TASKS =
            SqlTemplate.of("""
            WITH soon AS ({ending}),
            t AS (
                UPDATE task t SET reminded = true FROM soon
                 WHERE t.tenant_id = :tenant AND t.id = soon.id
             RETURNING t.domain_id, t.holder_id, t.lease_until, t.creator_id, t.title)
            SELECT t.holder_id, t.lease_until AS at, d.name AS domain, 1 AS count, t.title AS subject,
                   CASE WHEN d.owner_id = t.holder_id THEN t.creator_id ELSE d.owner_id END AS speaker_id
              FROM t JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
            """).with("ending", ending("task", TASK_SOON)).sql();

    private static final String REMIND_OF_RESERVATIONS =
            SqlTemplate.of("""
            WITH soon AS ({ending}),
            r AS (
                UPDATE reservation r SET reminded = true FROM soon
                 WHERE r.tenant_id = :tenant AND r.id = soon.id
             RETURNING r.domain_id, r.holder_id, r.lease_until, r.path)
            SELECT r.holder_id, min(r.lease_until) AS at, d.name AS domain, count(*) AS count,
                   min(r.path) AS subject, d.owner_id AS speaker_id
              FROM r JOIN domain d ON d.tenant_id = :tenant AND d.id = r.domain_id
             GROUP BY r.holder_id, d.id, d.name, d.owner_id
            """).with("ending", ending("reservation", SOON)).sql();

    private static final String FREE = SqlTemplate.of("""
            WITH expired AS ({ending}),
            t AS (
                UPDATE task t
                   SET state = CASE WHEN t.state = 'doing' THEN 'open' ELSE t.state END, holder_id = NULL, lease_until = NULL,
                       revision = t.revision + 1, updated_at = :at
                  FROM expired e
                 WHERE t.tenant_id = :tenant AND t.id = e.id
             RETURNING t.*, e.holder_id AS lost_by),
            noted AS (
                INSERT INTO task_change (tenant_id, task_id, revision, at, by_id, what)
                SELECT home.tenant_id, t.id, t.revision, t.updated_at, t.lost_by, 'lost'
                  FROM tenant_plan home CROSS JOIN t
                 WHERE home.tenant_id = :tenant)
            SELECT {columns}, t.lost_by, {loser} AS loser, d.owner_id, t.creator_id
              FROM t JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
             ORDER BY d.id, t.id
            """)
            .with("ending", ending("task", TASK_ENDED))
            .with("columns", TaskRow.COLUMNS)
            .with("loser", TaskRow.party("t.lost_by"))
            .sql();

    private static final String TENANTS_WITH_TASKS_SOON = tenants("task", TASK_SOON);
    private static final String TENANTS_WITH_RESERVATIONS_SOON = tenants("reservation", SOON);
    private static final String TENANTS_WITH_ENDED_TASKS = tenants("task", TASK_ENDED);

    /** Finished tasks. One that was cancelled stays as long as others wait for it. */
    private static final String OLD = Db.oldRows("task", "tenant_id, id", """
            state IN ('done', 'cancelled') AND updated_at <= :until
                   AND (state = 'done'
                        OR NOT EXISTS (SELECT 1 FROM task_order o
                                         JOIN task w ON w.tenant_id = o.tenant_id AND w.id = o.task_id
                                        WHERE o.tenant_id = task.tenant_id AND o.after_id = task.id
                                          AND w.state NOT IN ('done', 'cancelled')))
            """);

    /** Returns the statement that finds the tenants with such rows: usually none, so the index has little to read. */
    private static String tenants(String table, String condition) {
        return SqlTemplate.of("SELECT DISTINCT tenant_id FROM {table} WHERE {condition}")
                .with("table", table)
                .with("condition", condition)
                .sql();
    }

    /**
     * Returns the statement that locks the first of a tenant's rows. Any replica may work at them: what another has locked is
     * skipped.
     */
    private static String ending(String table, String condition) {
        return SqlTemplate.of("""
                SELECT id, holder_id FROM {table}
                 WHERE tenant_id = :tenant AND {condition}
                 ORDER BY lease_until
                 LIMIT :portion
                   FOR NO KEY UPDATE SKIP LOCKED
                """)
                .with("table", table)
                .with("condition", condition)
                .sql();
    }

    private final Db db;
    private final Clock clock;
    private final NoticeStore notices;
    private final ChangeStore changes;

    public LeaseStore(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
        this.notices = new NoticeStore(db);
        this.changes = new ChangeStore(db);
    }

    /** Renews what a party holds, each for as long as its lease was. */
    public void renew(long tenant, long holder) {
        db.transaction(() -> db.sql(RENEW)
                .quiet()
                .set("tenant", tenant)
                .set("holder", holder)
                .run());
    }

    private record Ending(long holder, long speaker, String domain, String subject, long count, Instant at) {
        String task() {
            return "The lease of your task '%s' in the domain '%s' ends at %s: TK_Update with its fence and lease_seconds extends it"
                    .formatted(subject, domain, at);
        }

        String reservation() {
            return "Your reservation of %s%s in the domain '%s' ends at %s: TK_Reserve with the same paths extends it"
                    .formatted(subject, count > 1 ? " and %d more".formatted(count - 1) : "", domain, at);
        }
    }

    /** Reminds the holders of leases that end within five minutes. */
    void remind() {
        var at = clock.instant();
        try {
            each(TENANTS_WITH_TASKS_SOON, tenant -> remind(tenant, REMIND_OF_TASKS, Ending::task, at));
        } finally {
            each(
                    TENANTS_WITH_RESERVATIONS_SOON,
                    tenant -> remind(tenant, REMIND_OF_RESERVATIONS, Ending::reservation, at));
        }
    }

    /** Does portions of the work of the tenants that the statement finds. */
    private void each(String tenants, LongToIntFunction portion) {
        TenantTurns.take(
                db.sql(tenants).list(row -> row.number("tenant_id")), tenant -> portion.applyAsInt(tenant) == PORTION);
    }

    private int remind(long tenant, String statement, Function<Ending, String> text, Instant at) {
        return db.transaction(() -> {
            var ending = db.sql(statement)
                    .quiet()
                    .set("tenant", tenant)
                    .set("portion", PORTION)
                    .list(row -> row.as(Ending.class));
            for (var one : ending) {
                notices.direct(tenant, one.speaker(), one.holder(), text.apply(one), at)
                        .ifPresent(change -> changes.write(tenant, List.of(change)));
            }
            return ending.size();
        });
    }

    /**
     * A task that was freed.
     *
     * @param speaker who tells it: the owner of the domain, or whoever created the task if the owner has lost it
     */
    private record FreedTask(StoredTask task, long loser, String loserName, long speaker) {}

    /** Frees all tasks whose lease has ended, and tells who held them. */
    void free(EventLog events) {
        each(TENANTS_WITH_ENDED_TASKS, tenant -> {
            var freed = freeSome(tenant);
            if (freed > 0) {
                events.committed();
            }
            return freed;
        });
    }

    private int freeSome(long tenant) {
        var at = clock.instant();
        return db.transaction(() -> {
            var freed = db.sql(FREE)
                    .quiet()
                    .set("tenant", tenant)
                    .set("portion", PORTION)
                    .set("at", at)
                    .list(row -> {
                        var loser = row.number("lost_by");
                        var owner = row.number("owner_id");
                        return new FreedTask(
                                row.as(StoredTask.class),
                                loser,
                                row.text("loser"),
                                owner == loser ? row.number("creator_id") : owner);
                    });
            freed.forEach(one -> tell(tenant, one, at));
            return freed.size();
        });
    }

    private void tell(long tenant, FreedTask freed, Instant at) {
        var task = freed.task().task();
        var line = TaskNotices.line(task, "lost", "it was held by " + freed.loserName());
        List<Change> notes = new ArrayList<>();
        notices.inMain(tenant, freed.task().domain(), freed.speaker(), line, at).ifPresent(notes::add);
        notices.direct(tenant, freed.speaker(), freed.loser(), TaskNotices.inDomain(task, line), at)
                .ifPresent(notes::add);
        var data = TaskNotices.event(task, "lost", freed.loserName());
        EventLog.insert(db, tenant, Event.of(EventType.TASK_CHANGED, at, data), null)
                .run();
        changes.write(tenant, notes);
    }

    /** Deletes tasks that were finished before, and returns their number. */
    int purge(Instant until) {
        return db.deleteOld(OLD, until);
    }
}
