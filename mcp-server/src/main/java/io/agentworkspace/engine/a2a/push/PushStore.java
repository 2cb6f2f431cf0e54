package io.agentworkspace.engine.a2a.push;

import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.integrations.webhooks.ReceiverStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores push notifications: each is a webhook endpoint of one task, whose secret is the headers of its requests. A notification is a
 * delivery in the outbox. There is one at a time, so that states arrive in order, and those that passed meanwhile are left out.
 */
public final class PushStore {
    private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('push ' || :by, :tenant))";

    private static final String COUNT = """
            SELECT count(*) FILTER (WHERE task_id = :task) AS task, count(*) AS caller
              FROM webhook_push
             WHERE tenant_id = :tenant AND principal = :by AND NOT (task_id = :task AND id = :id)
            """;

    private static final String INSERT = """
            WITH endpoint AS (
                INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, secret)
                VALUES (:tenant, :endpoint, :url, '{push}', :now, :now, :headers)),
                 push AS (
                INSERT INTO webhook_push (tenant_id, endpoint_id, task_id, principal, id, state, looked_at)
                VALUES (:tenant, :endpoint, :task, :by, :id, :state, :now))
            SELECT count_usage(:tenant, 'webhook_endpoints', 1)
            """;

    /** Whether push notification {@code p} has ended: it was given up, its client was told of the end of the task, or nobody reaches the agent here. */
    private static final String OVER = """
            (NOT w.enabled
             OR p.state IN ('COMPLETED', 'CANCELED', 'FAILED')
                AND (SELECT min(d.due_at)
                       FROM webhook_delivery d
                      WHERE d.tenant_id = :tenant AND d.endpoint_id = p.endpoint_id AND d.due_at IS NOT NULL) IS NULL
             OR COALESCE((SELECT (SELECT a.destroyed_at IS NULL FROM agent a WHERE a.tenant_id = :tenant AND a.id = q.to_id) IS NOT TRUE
                                 OR (SELECT r.url FROM agent_remote r WHERE r.tenant_id = :tenant AND r.agent_id = q.to_id) IS NOT NULL
                            FROM question q
                           WHERE q.tenant_id = :tenant AND q.id = p.task_id), false))
            """;

    private static final String LIST = SqlTemplate.of("""
            SELECT p.id, w.url
              FROM webhook_push p
              JOIN webhook_endpoint w ON w.tenant_id = p.tenant_id AND w.id = p.endpoint_id
             WHERE p.tenant_id = :tenant AND p.task_id = :task AND p.principal = :by AND NOT {over}
             ORDER BY w.created_at, p.id
            """).with("over", OVER).sql();

    private static final String DELETE = """
            WITH gone AS (
                DELETE FROM webhook_endpoint w
                 USING webhook_push p
                 WHERE p.tenant_id = :tenant AND p.principal = :by
                   AND (CAST(:task AS uuid) IS NULL OR p.task_id = CAST(:task AS uuid))
                   AND (CAST(:id AS text) IS NULL OR p.id = CAST(:id AS text))
                   AND w.tenant_id = p.tenant_id AND w.id = p.endpoint_id
             RETURNING w.tenant_id)
            INSERT INTO usage_delta (tenant_id, scope, delta)
            SELECT tenant_id, 'webhook_endpoints', -count(*) FROM gone GROUP BY tenant_id
            """;

    /** Those that have ended, and those of tasks that are gone. */
    private static final String CLEAR = SqlTemplate.of("""
            WITH gone AS (
                DELETE FROM webhook_endpoint w
                 WHERE w.tenant_id = :tenant AND w.events = '{push}'
                   AND NOT EXISTS (SELECT 1
                                     FROM webhook_push p
                                    WHERE p.tenant_id = :tenant AND p.endpoint_id = w.id AND NOT {over})
             RETURNING w.tenant_id)
            INSERT INTO usage_delta (tenant_id, scope, delta)
            SELECT tenant_id, 'webhook_endpoints', -count(*) FROM gone GROUP BY tenant_id
            """).with("over", OVER).sql();

    /** Refuses if the plan has no room for one more. */
    private static final String ROOM = """
            SELECT count_usage(:tenant, 'webhook_endpoints', 1), count_usage(:tenant, 'webhook_endpoints', -1)
            """;

    /**
     * Those whose task may have another state: something was said in the conversation, the question has ended, or what the client said last was
     * received. The minute is for transactions that had not ended at the last look. Each tenant gets its turn.
     */
    private static final String CHANGED = """
            SELECT p.tenant_id, p.endpoint_id, p.task_id, p.principal, p.state, c.last_seq, a.name AS agent
              FROM webhook_push p
              JOIN webhook_endpoint w ON w.tenant_id = p.tenant_id AND w.id = p.endpoint_id
              JOIN question q ON q.tenant_id = p.tenant_id AND q.id = p.task_id
              JOIN agent a ON a.tenant_id = p.tenant_id AND a.id = q.to_id
              JOIN conversation c ON c.tenant_id = p.tenant_id AND c.low_id = least(q.asker_id, q.to_id)
                                 AND c.high_id = greatest(q.asker_id, q.to_id)
             WHERE w.enabled AND p.state NOT IN ('COMPLETED', 'CANCELED', 'FAILED')
               AND p.looked_at <= :now
               AND (c.last_seq IS DISTINCT FROM p.seen_seq
                    OR q.answered_at > p.looked_at - interval '1 minute' OR q.withdrawn_at > p.looked_at - interval '1 minute'
                    OR (q.expires_at <= :now AND q.expires_at > p.looked_at - interval '1 minute')
                    OR (p.state = 'SUBMITTED'
                        AND (SELECT m.delivered_at
                               FROM message m
                              WHERE m.tenant_id = p.tenant_id AND m.conversation_id = c.id AND m.speaker_id = q.asker_id
                              ORDER BY m.seq DESC
                              LIMIT 1) > p.looked_at - interval '1 minute'))
               AND NOT EXISTS (SELECT 1
                                 FROM webhook_delivery d
                                WHERE d.tenant_id = p.tenant_id AND d.endpoint_id = p.endpoint_id AND d.due_at IS NOT NULL)
             ORDER BY row_number() OVER (PARTITION BY p.tenant_id ORDER BY p.looked_at)
             LIMIT :most
            """;

    private static final String LOOKED = """
            UPDATE webhook_push
               SET seen_seq = :seen, looked_at = :now
             WHERE tenant_id = :tenant AND endpoint_id = :endpoint
            """;

    /** Another replica may have told the same. */
    private static final String TELL = """
            WITH ids AS MATERIALIZED (SELECT nextval('event_ordinal') AS ordinal, gen_random_uuid() AS delivery),
                 told AS (
                UPDATE webhook_push p
                   SET state = :state, seen_seq = :seen, looked_at = :now
                 WHERE p.tenant_id = :tenant AND p.endpoint_id = :endpoint AND p.state = :was
             RETURNING p.endpoint_id),
                 counted AS (
                UPDATE webhook_endpoint w
                   SET last_sequence = w.last_sequence + 1
                  FROM told t
                 WHERE w.tenant_id = :tenant AND w.id = t.endpoint_id
             RETURNING w.id, w.last_sequence),
                 happened AS (
                INSERT INTO event (tenant_id, id, type, created_at, data, directed, ordinal)
                SELECT home.tenant_id, :event, 'push', :now, CAST(:data AS json), true, ids.ordinal
                  FROM tenant_plan home CROSS JOIN ids CROSS JOIN counted
                 WHERE home.tenant_id = :tenant),
                 queued AS (
            INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, due_at, created_at)
            SELECT home.tenant_id, ids.delivery, c.id, :event, 'push', c.last_sequence, :now, :now
              FROM tenant_plan home CROSS JOIN ids CROSS JOIN counted c
             WHERE home.tenant_id = :tenant)
            SELECT 1
            """;

    /** The state of a task whose end is still to be told. */
    private static final String UNTOLD = "ENDED";

    /** A task that has none yet. */
    private static final UUID NONE = new UUID(0, 0);

    private final Db db;
    private final Vault vault;
    private final TenantTurns clearing = new TenantTurns("push notifications that have ended are deleted");

    public PushStore(Db db, Vault vault) {
        this.db = db;
        this.vault = vault;
    }

    /** How many others there are of a task, and of the caller. */
    record Counted(long task, long caller) {}

    /** A credential that has push notifications. */
    record Owner(long tenant, String principal) {}

    /** One as its caller sees it. */
    record Kept(String id, String url) {}

    /**
     * One whose task may have another state.
     *
     * @param was the state that was told last, or was known when it was made
     * @param seen the number of the last message in the conversation
     */
    record Changed(long tenant, UUID endpoint, UUID task, String principal, String was, long seen, String agent) {
        Owner owner() {
            return new Owner(tenant, principal);
        }
    }

    /** Returns what changes whenever the client is to be told. */
    static String state(TaskRecord task) {
        return task.state() == TaskRecord.State.INPUT_REQUIRED
                ? task.state() + " " + task.timestamp()
                : task.state().name();
    }

    /**
     * Makes sure that there is room for one more, unless it replaces one.
     *
     * @param task null for a task that has not begun
     */
    void requireRoom(Caller caller, @Nullable String task, String id, Consumer<Counted> room) {
        db.transaction(() -> {
            clear(caller.tenant());
            room.accept(count(caller, task == null ? NONE : UUID.fromString(task), id));
            var isKept = task != null
                    && list(caller, task).stream().anyMatch(kept -> kept.id().equals(id));
            return isKept
                    || db.sql(ROOM)
                            .set("tenant", caller.tenant())
                            .one(_ -> true)
                            .isPresent();
        });
    }

    /** Deletes those of the tenant that have ended, so that they take no room. */
    private void clear(long tenant) {
        db.sql(CLEAR).set("tenant", tenant).run();
    }

    private Counted count(Caller caller, UUID task, String id) {
        return db.sql(COUNT)
                .set("tenant", caller.tenant())
                .set("by", caller.principal())
                .set("task", task)
                .set("id", id)
                .one(row -> new Counted(row.number("task"), row.number("caller")))
                .orElseThrow();
    }

    /**
     * Stores one; it replaces one with the same id.
     *
     * @param room refuses if there are too many
     * @param noted runs in the same transaction
     */
    void put(Caller caller, TaskRecord task, PushConfig config, Instant now, Consumer<Counted> room, Runnable noted) {
        var id = UUID.fromString(task.id());
        var endpoint = UUID.randomUUID();
        var sealed = vault.seal(
                ReceiverStore.place(caller.tenant(), endpoint), config.headers().getBytes(StandardCharsets.UTF_8));
        db.transaction(() -> {
            db.sql(LOCK)
                    .set("tenant", caller.tenant())
                    .set("by", caller.principal())
                    .one(_ -> true);
            clear(caller.tenant());
            delete(caller.tenant(), caller.principal(), id, config.id());
            room.accept(count(caller, id, config.id()));
            noted.run();
            return db.sql(INSERT)
                    .set("tenant", caller.tenant())
                    .set("endpoint", endpoint)
                    .set("url", config.url())
                    .set("now", now)
                    .set("headers", sealed)
                    .set("task", id)
                    .set("by", caller.principal())
                    .set("id", config.id())
                    .set("state", task.state().isFinal() ? UNTOLD : state(task))
                    .one(_ -> true);
        });
    }

    List<Kept> list(Caller caller, String task) {
        return db.sql(LIST)
                .set("tenant", caller.tenant())
                .set("task", UUID.fromString(task))
                .set("by", caller.principal())
                .list(row -> new Kept(row.text("id"), row.text("url")));
    }

    /** @param noted runs in the same transaction, if there was one */
    void delete(Caller caller, String task, String id, Runnable noted) {
        db.transaction(() -> {
            if (delete(caller.tenant(), caller.principal(), UUID.fromString(task), id)) {
                noted.run();
            }
            return true;
        });
    }

    private boolean delete(long tenant, String principal, @Nullable UUID task, @Nullable String id) {
        return db.sql(DELETE)
                        .set("tenant", tenant)
                        .set("by", principal)
                        .set("task", task)
                        .set("id", id)
                        .run()
                > 0;
    }

    /** Returns the credentials that have any. */
    List<Owner> owners() {
        return db.sql("SELECT DISTINCT tenant_id, principal FROM webhook_push")
                .list(row -> new Owner(row.number("tenant_id"), row.text("principal")));
    }

    /** Deletes those of a credential that is not valid any more. */
    void forget(Owner owner) {
        delete(owner.tenant(), owner.principal(), null, null);
    }

    /** Deletes those that have ended. */
    void clear() {
        var tenants = db.sql("SELECT DISTINCT tenant_id FROM webhook_endpoint WHERE events = '{push}'")
                .list(row -> row.number("tenant_id"));
        clearing.each(tenants, tenant -> {
            clear(tenant);
            return true;
        });
    }

    /** Whether any tenant has one. */
    boolean isAny() {
        return db.sql("SELECT EXISTS (SELECT 1 FROM webhook_push) AS found")
                .one(row -> row.flag("found"))
                .orElse(false);
    }

    List<Changed> changed(Instant now, int most) {
        return db.sql(CHANGED)
                .set("now", now)
                .set("most", most)
                .list(row -> new Changed(
                        row.number("tenant_id"),
                        row.uuid("endpoint_id"),
                        row.uuid("task_id"),
                        row.text("principal"),
                        row.text("state"),
                        row.number("last_seq"),
                        row.text("agent")));
    }

    void looked(Changed push, Instant now) {
        looked(push, push.seen(), now);
    }

    /** The task could not be read: it is looked at again then, whatever has happened meanwhile. */
    void later(Changed push, Instant then) {
        looked(push, null, then);
    }

    private void looked(Changed push, @Nullable Long seen, Instant at) {
        db.sql(LOOKED)
                .set("tenant", push.tenant())
                .set("endpoint", push.endpoint())
                .set("seen", seen)
                .set("now", at)
                .run();
    }

    void tell(Changed push, TaskRecord task, Instant now) {
        db.sql(TELL)
                .set("tenant", push.tenant())
                .set("endpoint", push.endpoint())
                .set("was", push.was())
                .set("state", state(task))
                .set("seen", push.seen())
                .set("event", UUID.randomUUID())
                .set("data", Json.text(task.statusUpdate()))
                .set("now", now)
                .run();
    }
}
