package io.agentworkspace.engine.mcp.tasks;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.kernel.db.AdvisoryLock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Stores tasks, which outlive the request and the replica that created them. A worker holds a lease by the database's
 * clock. An expired task can be claimed again; only the newest claim may write.
 */
public final class McpTaskStore {
    /** The maximum number of unfinished tasks of a principal. */
    static final int MAX_OPEN = 100;

    /** The maximum number of tasks of a principal, including finished ones. */
    static final int MAX_KEPT = 1_000;

    /**
     * The maximum stored bytes of a principal's tasks, with calls, answers and results. Tasks that are unfinished when it
     * is reached still store theirs.
     */
    static final long MAX_BYTES = 32L * 1024 * 1024;

    /** The maximum stored bytes of a tenant's tasks. Principals that create tasks at the same time may exceed it a little. */
    static final long MAX_BYTES_OF_TENANT = 4 * MAX_BYTES;

    /** The number of tasks that run at the same time for one principal, so that none can block the others. */
    private static final int SHARE = 2;

    /** The change of a task {@code t} for the log. */
    private static final String CHANGE =
            "jsonb_build_object('topic', 'task', 'names', ARRAY[t.id], 'users', ARRAY[t.user_id])";

    private static final String CLAIMED = """
             WHERE tenant_id = :tenant AND id = :id AND attempt = :attempt AND status = 'working'
            """;

    private static final String IN_TIME = CLAIMED + " AND leased_until > now()";

    private static final String RENEW = "UPDATE mcp_task SET leased_until = now() + CAST(:lease AS interval)" + IN_TIME;

    private static final String RELEASE = "UPDATE mcp_task SET leased_until = now(), tries = 0" + CLAIMED;

    private static final String PROGRESS =
            announced("UPDATE mcp_task SET message = :message, updated_at = :now" + CLAIMED);

    private static final String STEP = announced("""
            UPDATE mcp_task
               SET status = :status, message = :message, memory = :memory, outcome = :outcome, tries = 0, updated_at = :now
            """ + IN_TIME);

    private static final String UPDATE = announced("""
            UPDATE mcp_task
               SET status = :status, message = :message, memory = :memory, leased_until = now(), updated_at = :now
             WHERE tenant_id = :tenant AND id = :id AND principal = :principal
            """);

    /** The worker that runs the task learns of it even if nobody listens to the tenant's changes. */
    private static final String CANCEL =
            SqlTemplate.of("""
            WITH ended AS (UPDATE mcp_task
                              SET status = 'cancelled', message = :message, updated_at = :now
                            WHERE tenant_id = :tenant AND id = :id AND principal = :principal
                              AND status IN ('working', 'input_required')
                          RETURNING tenant_id, id, user_id)
            SELECT announce(t.tenant_id, jsonb_build_array(
                       {change}, jsonb_build_object('topic', 'task-cancelled', 'names', ARRAY[t.id], 'everyone', true)))
              FROM ended t
             UNION ALL
            SELECT NULL
              FROM mcp_task t
             WHERE t.tenant_id = :tenant AND t.id = :id AND t.principal = :principal
               AND t.status NOT IN ('working', 'input_required')
            """).with("change", CHANGE).sql();

    private static String announced(String update) {
        return SqlTemplate.of("""
                WITH t AS ({update} RETURNING tenant_id, id, user_id)
                SELECT announce(t.tenant_id, jsonb_build_array({change})) FROM t
                """).with("update", update).with("change", CHANGE).sql();
    }

    private static final String COLUMNS =
            "tenant_id, id, principal, request, status, message, memory, outcome, attempt, tries, created_at, updated_at, expires_at";

    private static final String INSERT =
            SqlTemplate.of("""
            INSERT INTO mcp_task AS stored (tenant_id, id, server, principal, user_id, request, status, memory,
                                  leased_until, created_at, updated_at, expires_at)
            SELECT home.tenant_id, :id, :server, :principal, :user, :request, 'working', :memory, now(), :created, :created, :expires
              FROM tenant_plan home
             CROSS JOIN (SELECT count(*) FILTER (WHERE own) AS kept,
                                 count(*) FILTER (WHERE own AND status IN ('working', 'input_required')) AS open,
                                 COALESCE(sum(bytes) FILTER (WHERE own), 0) AS bytes,
                                 COALESCE(sum(bytes), 0) AS all_bytes
                            FROM (SELECT principal = :principal AS own, status,
                                         pg_column_size(request) + pg_column_size(memory)
                                         + COALESCE(pg_column_size(outcome), 0) AS bytes
                                    FROM mcp_task
                                   WHERE tenant_id = :tenant AND expires_at > :created) task) totals
             WHERE home.tenant_id = :tenant AND totals.open < :open AND totals.kept < :kept AND totals.bytes < :each AND totals.all_bytes < :all
            RETURNING {columns}
            """).with("columns", COLUMNS).sql();

    private static final String FIND = SqlTemplate.of(
                    "SELECT {columns} FROM mcp_task WHERE tenant_id = :tenant AND id = :id AND principal = :principal")
            .with("columns", COLUMNS)
            .sql();

    private static final String LOCK = FIND + " FOR UPDATE";

    /** The working tasks of a server, those that a worker has first. */
    private static final String QUEUE = """
            SELECT tenant_id, id, leased_until,
                   row_number() OVER (PARTITION BY tenant_id, principal ORDER BY leased_until <= now(), leased_until) AS place
              FROM mcp_task
             WHERE server = :server AND status = 'working'
            """;

    /** The tenants with tasks to claim, the one that has waited longest first. */
    private static final String TENANTS =
            SqlTemplate.of("""
            SELECT q.tenant_id
              FROM ({queue}) q
             WHERE q.place <= :share AND q.leased_until <= now()
             GROUP BY q.tenant_id
             ORDER BY min(q.leased_until)
            """).with("queue", QUEUE).sql();

    private static final String CLAIM = SqlTemplate.of("""
            UPDATE mcp_task t
               SET attempt = t.attempt + 1, tries = t.tries + 1, leased_until = now() + CAST(:lease AS interval)
              FROM (SELECT w.id FROM mcp_task w
                      JOIN ({queue} AND tenant_id = :tenant) q ON q.id = w.id AND q.place <= :share
                     WHERE w.tenant_id = :tenant AND w.status = 'working' AND w.leased_until <= now()
                     ORDER BY w.leased_until
                     LIMIT :most
                       FOR UPDATE OF w SKIP LOCKED) free
             WHERE t.tenant_id = :tenant AND t.id = free.id
            RETURNING t.*
            """).with("queue", QUEUE).sql();

    private static final String EXPIRED = Db.oldRows("mcp_task", "tenant_id, id", "expires_at <= :until");

    private final Db db;
    private final long each;
    private final long all;

    public McpTaskStore(Db db) {
        this(db, MAX_BYTES, MAX_BYTES_OF_TENANT);
    }

    /**
     * @param each the maximum stored bytes of a principal's tasks
     * @param all those of a tenant's tasks
     */
    McpTaskStore(Db db, long each, long all) {
        this.db = db;
        this.each = each;
        this.all = all;
    }

    /** The status of a task. A task begins with the first; the last three are final. */
    public enum Status {
        WORKING,
        INPUT_REQUIRED,
        COMPLETED,
        FAILED,
        CANCELLED;

        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        static Status of(String word) {
            return valueOf(word.toUpperCase(java.util.Locale.ROOT));
        }
    }

    /** The right to run a task. It is valid while it is the task's newest claim and its lease is renewed. */
    public record ClaimedTask(long tenant, String id, long attempt) {}

    /**
     * A stored task.
     *
     * @param request the call to run, and for whom
     * @param memory the pending questions and the answers
     * @param outcome the result, or the error of a failed task
     * @param tries how many consecutive claims ended without a report
     */
    public record Task(
            @JsonUnwrapped ClaimedTask claim,
            String principal,
            ObjectNode request,
            Status status,
            @Nullable String message,
            ObjectNode memory,
            @Nullable ObjectNode outcome,
            int tries,
            Instant createdAt,
            Instant updatedAt,
            Instant expiresAt) {

        public String id() {
            return claim.id();
        }
    }

    /** The state of a task, as its worker reports it. */
    public record Step(
            Status status,
            @Nullable String message,
            ObjectNode memory,
            @Nullable ObjectNode outcome) {}

    /**
     * A task to create.
     *
     * @param server the name of the server that the tool belongs to
     */
    record TaskDraft(
            String id, String server, ObjectNode request, ObjectNode memory, Instant createdAt, Instant expiresAt) {}

    /**
     * Creates a task, which waits to be claimed.
     *
     * @return empty if the principal or the tenant has reached a limit of tasks
     */
    Optional<Task> insert(Caller owner, TaskDraft task) {
        return db.transaction(() -> {
            // Serialised by a lock: concurrent inserts could not see each other in the count.
            of(owner, "SELECT pg_advisory_xact_lock(:lock, hashtext(:principal))")
                    .set("lock", AdvisoryLock.TASKS.number)
                    .one(_ -> true);
            return of(owner, INSERT)
                    .quiet() // Nobody can listen to it yet.
                    .set("user", owner.user())
                    .set("id", task.id())
                    .set("server", task.server())
                    .set("request", Json.text(task.request()))
                    .set("memory", Json.text(task.memory()))
                    .set("created", task.createdAt())
                    .set("expires", task.expiresAt())
                    .set("open", MAX_OPEN)
                    .set("kept", MAX_KEPT)
                    .set("each", each)
                    .set("all", all)
                    .one(McpTaskStore::task);
        });
    }

    /** Returns the principal's own task with this id. */
    Optional<Task> find(Caller owner, String id) {
        return own(owner, id, FIND).one(McpTaskStore::task);
    }

    /** Returns those of the ids that belong to the principal. */
    Set<String> existing(Caller owner, Collection<String> ids) {
        return new HashSet<>(of(owner, """
                SELECT id FROM mcp_task
                 WHERE tenant_id = :tenant AND principal = :principal AND id = ANY(CAST(:ids AS text[]))
                """).set("ids", ids).list(row -> row.text("id")));
    }

    /** Claims unclaimed tasks of this server in any tenant, at most {@link #SHARE} for each principal. Tenants take turns. */
    public List<Task> claim(String server, int most, Duration lease) {
        var tenants = claiming(TENANTS, server).list(row -> row.number("tenant_id"));
        return TenantTurns.claim(
                tenants,
                most,
                SHARE,
                (tenant, room) -> claiming(CLAIM, server)
                        .set("tenant", tenant)
                        .set("most", room)
                        .set("lease", lease.toString())
                        .list(McpTaskStore::task));
    }

    private Statement claiming(String text, String server) {
        return db.sql(text).set("server", server).set("share", SHARE);
    }

    /** Returns whether the claim is still valid, and extends its lease. Others may have taken the task if it has expired. */
    public boolean renew(ClaimedTask claim, Duration lease) {
        return ofClaim(claim, RENEW).set("lease", lease.toString()).run() == 1;
    }

    /** Releases a claim, so that another replica can take the task at once. */
    public void release(ClaimedTask claim) {
        ofClaim(claim, RELEASE).run();
    }

    /** Writes the progress of the task. */
    public void progress(ClaimedTask claim, String message, Instant now) {
        ofClaim(claim, PROGRESS).set("message", message).set("now", now).run();
    }

    /** Writes the outcome of a step, unless the task was cancelled or the lease has expired. */
    public void step(ClaimedTask claim, Step step, Instant now) {
        ofClaim(claim, STEP)
                .set("status", step.status().word())
                .set("message", step.message())
                .set("memory", Json.text(step.memory()))
                .set("outcome", step.outcome() == null ? null : Json.text(step.outcome()))
                .set("now", now)
                .run();
    }

    /**
     * Changes the state of the principal's waiting task.
     *
     * @param change returns the new memory and whether the task continues
     * @return the task before the change, if there is one
     */
    Optional<Task> update(Caller owner, String id, UnaryOperator<Step> change, Instant now) {
        return db.transaction(() -> {
            var found = own(owner, id, LOCK).one(McpTaskStore::task);
            found.filter(task -> task.status() == Status.INPUT_REQUIRED).ifPresent(task -> {
                var step = change.apply(new Step(task.status(), task.message(), task.memory(), null));
                own(owner, id, UPDATE)
                        .announcing()
                        .set("status", step.status().word())
                        .set("message", step.message())
                        .set("memory", Json.text(step.memory()))
                        .set("now", now)
                        .run();
            });
            return found;
        });
    }

    /** @return whether the principal has this task; a task that has ended stays unchanged */
    boolean cancel(Caller owner, String id, String message, Instant now) {
        return own(owner, id, CANCEL)
                .set("message", message)
                .set("now", now)
                .one(_ -> true)
                .isPresent();
    }

    private Statement own(Caller owner, String id, String text) {
        return of(owner, text).set("id", id);
    }

    private Statement of(Caller owner, String text) {
        return db.sql(text).set("tenant", owner.tenant()).set("principal", owner.principal());
    }

    private Statement ofClaim(ClaimedTask claim, String text) {
        return db.sql(text).set("tenant", claim.tenant()).set("id", claim.id()).set("attempt", claim.attempt());
    }

    private static Task task(Row row) throws SQLException {
        return row.as(Task.class);
    }

    /** Deletes expired tasks. */
    public void purge(Instant now) {
        db.deleteOld(EXPIRED, now);
    }
}
