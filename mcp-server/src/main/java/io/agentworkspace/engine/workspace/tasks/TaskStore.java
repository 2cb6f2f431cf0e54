package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.task.TaskState;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import io.agentworkspace.engine.workspace.tasks.TaskRow.StoredTask;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes of tasks. A claim is one statement: of any number of concurrent calls, one gets the task. */
final class TaskStore {
    private static final String INSERT =
            SqlTemplate.of("""
            WITH t AS (INSERT INTO task (tenant_id, id, domain_id, title, description, state, tags, assignee_id, unmet,
                                         creator_id, created_at, updated_at)
                       VALUES (:tenant, :id, :domain, :title, :description, 'open', CAST(:tags AS text[]),
                               CAST(:assignee AS bigint), :unmet, :me, :now, :now)
                       RETURNING *),
                 noted AS (INSERT INTO task_change (tenant_id, task_id, revision, at, by_id, what)
                           SELECT home.tenant_id, t.id, t.revision, t.created_at, t.creator_id, 'created'
                             FROM tenant_plan home CROSS JOIN t
                            WHERE home.tenant_id = :tenant)
            SELECT {columns} FROM t JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
            """).with("columns", TaskRow.COLUMNS).sql();

    /** The tasks with these ids in the domain, in an order in which no two transactions wait for each other. */
    private static final String LOCK_BEFORE = """
            SELECT id, state = 'done' AS done
              FROM task
             WHERE tenant_id = :tenant AND domain_id = :domain AND id = ANY(CAST(:after AS uuid[]))
             ORDER BY id
               FOR SHARE
            """;

    private static final String ADD_ORDER = """
            INSERT INTO task_order (tenant_id, task_id, after_id, place)
            SELECT home.tenant_id, :id, input.a, input.n
              FROM tenant_plan home CROSS JOIN unnest(CAST(:after AS uuid[])) WITH ORDINALITY input (a, n)
             WHERE home.tenant_id = :tenant
            """;

    private static final String FIND = SqlTemplate.of("""
            SELECT {columns}, {takes_part} AS takes_part
              FROM task t JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
             WHERE t.tenant_id = :tenant AND t.id = :id AND {visible_domain}
            """)
            .with("columns", TaskRow.COLUMNS)
            .with("takes_part", ZoneEntry.takesPart("d"))
            .with("visible_domain", Visibility.domain("d"))
            .sql();

    /** How many late results of a task are kept. */
    private static final int MOST_LATE = 20;

    private static final String LOCK = FIND + "FOR NO KEY UPDATE OF t";

    private static final String CLAIM_ONE = claimStatement(
            candidate("t.id = :id AND " + TaskRow.READY + " AND " + TaskRow.MINE_OR_NOBODYS, "FOR NO KEY UPDATE OF t"));

    private static final String CLAIM_NEXT = claimStatement(next("SKIP LOCKED"));

    /** Waits for others that may give a task back. */
    private static final String CLAIM_NEXT_IN_TURN = claimStatement(next(""));

    private static final String CLAIM_EXPIRED = claimStatement(
            oldest("t.unmet = 0 AND " + TaskRow.MINE_OR_NOBODYS + " AND " + TaskRow.expiredIn(":domain"), ""));

    /** The older of two that are ready: the oldest that is nobody's, and the oldest that is the speaker's. An index has each. */
    private static String next(String lock) {
        return SqlTemplate.of("""
                WITH nobodys AS {nobodys}, mine AS {mine}
                SELECT * FROM (SELECT * FROM nobodys UNION ALL SELECT * FROM mine) c ORDER BY created_at, id LIMIT 1
                """)
                .with("nobodys", oldest("t.state = 'open' AND t.unmet = 0 AND t.assignee_id IS NULL", lock))
                .with("mine", oldest("t.state = 'open' AND t.unmet = 0 AND t.assignee_id = :me", lock))
                .sql();
    }

    private static String oldest(String condition, String lock) {
        return candidate(
                "t.domain_id = :domain AND " + condition,
                "ORDER BY t.created_at, t.id LIMIT 1 FOR NO KEY UPDATE OF t " + lock);
    }

    private static String candidate(String condition, String end) {
        return SqlTemplate.of("""
                (SELECT t.tenant_id, t.id, t.holder_id AS lost_by, t.created_at
                   FROM task t JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
                  WHERE t.tenant_id = :tenant AND {condition} AND {takes_part}
                  {end})
                """)
                .with("condition", condition)
                .with("takes_part", ZoneEntry.takesPart("d"))
                .with("end", end)
                .sql();
    }

    /** Claims a task in one statement. The rows are locked, and then checked again as the last transaction left them. */
    private static String claimStatement(String free) {
        return SqlTemplate.of("""
                WITH free AS ({free}),
                t AS (
                    UPDATE task t
                       SET state = 'doing', holder_id = :me, fence = t.fence + 1,
                           lease_until = date_trunc('milliseconds', statement_timestamp()) + CAST(:lease AS interval),
                           lease = CAST(:lease AS interval), reminded = false,
                           revision = t.revision + CASE WHEN free.lost_by IS NULL THEN 1 ELSE 2 END, updated_at = :now
                      FROM free
                     WHERE t.tenant_id = :tenant AND t.id = free.id
                 RETURNING t.*, free.lost_by),
                noted AS (
                    INSERT INTO task_change (tenant_id, task_id, revision, at, by_id, what)
                    SELECT home.tenant_id, t.id, t.revision + c.step, t.updated_at, CASE WHEN c.what = 'lost' THEN t.lost_by ELSE t.holder_id END,
                           c.what
                      FROM tenant_plan home CROSS JOIN t CROSS JOIN (VALUES (-1, 'lost'), (0, 'claimed')) c (step, what)
                     WHERE home.tenant_id = :tenant AND (c.what = 'claimed' OR t.lost_by IS NOT NULL))
                SELECT {columns}, t.lost_by FROM t JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
                """)
                .with("free", free)
                .with("columns", TaskRow.COLUMNS)
                .sql();
    }

    private static final String UPDATE =
            SqlTemplate.of("""
            WITH given AS (
                SELECT CAST(CAST(:lease AS text) AS interval) AS lease,
                       date_trunc('milliseconds', statement_timestamp()) + CAST(CAST(:lease AS text) AS interval) AS until),
            t AS (
                UPDATE task t
                   SET title = :title, description = :description, tags = CAST(:tags AS text[]), state = :state,
                       result = CAST(:result AS text), assignee_id = CAST(:assignee AS bigint),
                       holder_id = CASE WHEN :has_holder THEN t.holder_id END,
                       lease_until = CASE WHEN :has_holder THEN COALESCE(given.until, t.lease_until) END,
                       lease = COALESCE(given.lease, t.lease),
                       reminded = t.reminded AND given.lease IS NULL,
                       unmet = CASE WHEN CAST(:unmet AS integer) IS NULL THEN t.unmet ELSE CAST(:unmet AS integer) END,
                       revision = t.revision + 1, updated_at = :now
                  FROM given
                 WHERE t.tenant_id = :tenant AND t.id = :id
             RETURNING t.*),
            noted AS (
                INSERT INTO task_change (tenant_id, task_id, revision, at, by_id, what, note)
                SELECT home.tenant_id, t.id, t.revision, t.updated_at, :me, :what, CAST(:note AS text)
                  FROM tenant_plan home CROSS JOIN t
                 WHERE home.tenant_id = :tenant)
            SELECT {columns} FROM t JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
            """).with("columns", TaskRow.COLUMNS).sql();

    /** Keeps what a party reports of a task whose lease it has lost. */
    private static final String KEEP_LATE =
            SqlTemplate.of("""
            WITH t AS (
                UPDATE task t
                   SET revision = t.revision + 1
                 WHERE t.tenant_id = :tenant AND t.id = :id
                   AND (t.holder_id = :me AND t.lease_until <= statement_timestamp()
                        OR EXISTS (SELECT 1 FROM task_change c
                                    WHERE c.tenant_id = :tenant AND c.task_id = :id AND c.by_id = :me AND c.what = 'lost'))
                   AND NOT EXISTS (SELECT 1 FROM task_change c
                                    WHERE c.tenant_id = :tenant AND c.task_id = :id AND c.by_id = :me AND c.what = 'late'
                                      AND c.note = :result)
                   AND (SELECT count(*) FROM task_change c
                         WHERE c.tenant_id = :tenant AND c.task_id = :id AND c.what = 'late') < {most}
             RETURNING t.id, t.revision)
            INSERT INTO task_change (tenant_id, task_id, revision, at, by_id, what, note)
            SELECT home.tenant_id, t.id, t.revision, :at, :me, 'late', :result FROM tenant_plan home CROSS JOIN t WHERE home.tenant_id = :tenant
            """).with("most", MOST_LATE).sql();

    /** Counts for those that wait for a task that it is done, or no longer is. A statement of its own sees all of them. */
    private static final String RECOUNT = """
            UPDATE task t
               SET unmet = t.unmet + :difference
              FROM (SELECT w.id
                      FROM task_order o JOIN task w ON w.tenant_id = :tenant AND w.id = o.task_id
                     WHERE o.tenant_id = :tenant AND o.after_id = :id
                     ORDER BY w.id
                       FOR NO KEY UPDATE OF w) waiting
             WHERE t.tenant_id = :tenant AND t.id = waiting.id
            """;

    private final Db db;

    public TaskStore(Db db) {
        this.db = db;
    }

    /** Keeps the result of a holder whose lease has ended in the history of the task. */
    void keepLate(long tenant, UUID id, long party, String result, Instant at) {
        db.transaction(() -> db.sql(KEEP_LATE)
                .quiet()
                .set("tenant", tenant)
                .set("id", id)
                .set("me", party)
                .set("result", result)
                .set("at", at)
                .run());
    }

    /** What a new task says. */
    record NewTask(
            String title,
            String description,
            List<String> tags,
            @Nullable Long assignee,
            List<UUID> after) {}

    StoredTask insert(Call call, long domain, NewTask draft) {
        var id = UUID.randomUUID();
        var unmet = lockBefore(call, domain, draft.after());
        var stored = db.sql(call, INSERT)
                .set("id", id)
                .set("domain", domain)
                .set("title", draft.title())
                .set("description", draft.description())
                .set("tags", draft.tags())
                .set("assignee", draft.assignee())
                .set("unmet", unmet)
                .set("me", me(call))
                .one(row -> row.as(StoredTask.class))
                .orElseThrow();
        call.created(Scope.TASKS, 1);
        if (draft.after().isEmpty()) {
            return stored;
        }
        addOrder(call, id, draft.after());
        return read(call, id);
    }

    private void addOrder(Call call, UUID id, List<UUID> after) {
        db.sql(call, ADD_ORDER).set("id", id).set("after", texts(after)).run();
    }

    /** Locks the tasks that come before another, so that none is done in the meantime, and counts those that are not done. */
    private int lockBefore(Call call, long domain, List<UUID> after) {
        if (after.isEmpty()) {
            return 0;
        }
        record Before(String id, boolean done) {}
        var found = db.sql(call, LOCK_BEFORE)
                .set("domain", domain)
                .set("after", texts(after))
                .list(row -> row.as(Before.class));
        for (var id : after) {
            if (found.stream().noneMatch(before -> before.id().equals(id.toString()))) {
                throw Problem.notFound("task of this domain", id.toString(), List.of());
            }
        }
        return (int) found.stream().filter(before -> !before.done()).count();
    }

    /** Replaces what a task comes after, and returns how many of these are not done. Circles are refused before. */
    int reorder(Call call, StoredTask task, List<UUID> after) {
        var unmet = lockBefore(call, task.domain(), after);
        var id = UUID.fromString(task.task().id());
        db.sql(call, "DELETE FROM task_order WHERE tenant_id = :tenant AND task_id = :id")
                .set("id", id)
                .run();
        if (!after.isEmpty()) {
            addOrder(call, id, after);
        }
        return unmet;
    }

    private static List<String> texts(List<UUID> ids) {
        return ids.stream().map(UUID::toString).toList();
    }

    static long me(Call call) {
        return call.context().speaker().id();
    }

    /** Returns the task, if the speaker may change it. */
    StoredTask read(Call call, UUID id) {
        return find(call, FIND, id);
    }

    /** Returns the task, locked. */
    StoredTask lock(Call call, UUID id) {
        return find(call, LOCK, id);
    }

    private StoredTask find(Call call, String statement, UUID id) {
        record Found(StoredTask task, boolean takesPart) {}
        var found = db.sql(call, statement)
                .set("id", id)
                .one(row -> new Found(row.as(StoredTask.class), row.flag("takes_part")))
                .orElseThrow(() -> missing(id));
        if (!found.takesPart()) {
            throw Problem.conflict(ZoneEntry.notMember(call, found.task().task().domain()));
        }
        call.checked(OfDomain.TAKE_PART);
        return found.task();
    }

    static Problem missing(UUID id) {
        return Problem.notFound("task", Name.shortened(id.toString()), List.of());
    }

    /** A claimed task, and who lost it by that. */
    record Claimed(StoredTask task, @Nullable Long lostBy) {}

    /** Claims a task; empty if it cannot be claimed. */
    Optional<Claimed> claim(Call call, UUID id, long seconds) {
        return claimed(call, db.sql(call, CLAIM_ONE).set("id", id), seconds);
    }

    /** Claims the oldest task of the domain that is ready, and is the speaker's or nobody's. */
    Optional<Claimed> claimNext(Call call, long domain, long seconds) {
        return claimNext(call, CLAIM_NEXT, domain, seconds)
                .or(() -> claimNext(call, CLAIM_NEXT_IN_TURN, domain, seconds))
                .or(() -> claimNext(call, CLAIM_EXPIRED, domain, seconds));
    }

    private Optional<Claimed> claimNext(Call call, String statement, long domain, long seconds) {
        return claimed(call, db.sql(call, statement).set("domain", domain), seconds);
    }

    private static Optional<Claimed> claimed(Call call, Statement statement, long seconds) {
        var claimed = statement
                .set("me", me(call))
                .set("lease", seconds + " seconds")
                .one(row -> new Claimed(row.as(StoredTask.class), row.numberOrNull("lost_by")));
        claimed.ifPresent(_ -> call.checked(OfDomain.TAKE_PART));
        return claimed;
    }

    /**
     * What a locked task becomes.
     *
     * @param hasHolder whether its holder keeps it
     * @param lease how many seconds the lease lasts from now; null if its end stays
     * @param unmet null if the tasks before it stay the same
     * @param what the word in its history
     */
    record NextState(
            String title,
            String description,
            List<String> tags,
            TaskState state,
            @Nullable String result,
            @Nullable Long assignee,
            boolean hasHolder,
            @Nullable Long lease,
            @Nullable Integer unmet,
            String what,
            @Nullable String note) {}

    StoredTask update(Call call, StoredTask before, NextState next) {
        var id = UUID.fromString(before.task().id());
        var updated = db.sql(call, UPDATE)
                .set("id", id)
                .set("title", next.title())
                .set("description", next.description())
                .set("tags", next.tags())
                .set("state", next.state().word())
                .set("result", next.result())
                .set("assignee", next.assignee())
                .set("has_holder", next.hasHolder())
                .set("lease", next.lease() == null ? null : next.lease() + " seconds")
                .set("unmet", next.unmet())
                .set("me", me(call))
                .set("what", next.what())
                .set("note", next.note())
                .one(row -> row.as(StoredTask.class))
                .orElseThrow();
        call.ended(Scope.TASKS, unfinished(before.task().state()) - unfinished(next.state()));
        var wasDone = before.task().state() == TaskState.DONE;
        var isDone = next.state() == TaskState.DONE;
        if (wasDone != isDone) {
            db.sql(call, RECOUNT)
                    .set("id", id)
                    .set("difference", isDone ? -1 : 1)
                    .run();
        }
        return updated;
    }

    private static int unfinished(TaskState state) {
        return state.isFinished() ? 0 : 1;
    }
}
