package io.agentworkspace.engine.a2a.push;

import io.agentworkspace.engine.a2a.tasks.AgentPlace;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Where tasks are sent when they change. A row is due when its conversation has had a message since it was last sent, or when its question was
 * taken back. So nothing is lost with a replica, and what changes twice meanwhile is sent once.
 */
final class PushStore {
    static final int MOST_OF_TASK = 10;

    private static final String INSERT = """
        INSERT INTO a2a_push (tenant_id, task_id, id, agent_id, speaker_id, principal, config, due_at, created_at)
        SELECT :tenant, :task, :id, :agent, :speaker, :principal, :config, :now, :now
         WHERE (SELECT count(*) FROM a2a_push p WHERE p.tenant_id = :tenant AND p.task_id = :task AND p.id <> :id) < :most
        ON CONFLICT (tenant_id, task_id, id)
        DO UPDATE SET config = excluded.config, principal = excluded.principal, due_at = excluded.due_at,
                      tries = 0, sent = NULL, seen_at = NULL
        """;

    private static final String FIND = """
        SELECT id, config FROM a2a_push
         WHERE tenant_id = :tenant AND task_id = :task AND (CAST(:id AS text) IS NULL OR id = :id)
         ORDER BY created_at, id
        """;

    private static final String CLAIM = """
        UPDATE a2a_push p
           SET due_at = :until, tries = p.tries + 1
          FROM (SELECT w.tenant_id, w.task_id, w.id, c.last_at, a.name AS agent
                  FROM a2a_push w
                  JOIN agent a ON a.tenant_id = w.tenant_id AND a.id = w.agent_id
                  JOIN question q ON q.tenant_id = w.tenant_id AND q.id = w.task_id
                  JOIN conversation c ON c.tenant_id = w.tenant_id AND c.low_id = least(w.speaker_id, w.agent_id)
                                     AND c.high_id = greatest(w.speaker_id, w.agent_id)
                 WHERE w.due_at <= :now
                   AND (c.last_at IS DISTINCT FROM w.seen_at OR q.withdrawn_at IS NOT NULL)
                 ORDER BY w.due_at
                 LIMIT :most
                   FOR UPDATE OF w SKIP LOCKED) free
         WHERE p.tenant_id = free.tenant_id AND p.task_id = free.task_id AND p.id = free.id
        RETURNING p.tenant_id, p.task_id, p.id, p.principal, p.config, p.sent, p.tries, free.last_at, free.agent
        """;

    private static final String SENT = """
        UPDATE a2a_push SET sent = :sent, seen_at = :seen, tries = 0, due_at = :now
         WHERE tenant_id = :tenant AND task_id = :task AND id = :id
        """;

    private static final String LATER = """
        UPDATE a2a_push SET due_at = :later WHERE tenant_id = :tenant AND task_id = :task AND id = :id
        """;

    private static final String DELETE =
            "DELETE FROM a2a_push WHERE tenant_id = :tenant AND task_id = :task AND id = :id";

    /** The questions of these have ended long ago, or are gone. */
    private static final String PURGE = Db.oldRows("a2a_push", "created_at <= :until");

    private static final Duration KEPT = Duration.ofDays(30);

    private final Db db;
    private final Vault vault;

    PushStore(Db db, Vault vault) {
        this.db = db;
        this.vault = vault;
    }

    /**
     * A notification to send.
     *
     * @param sent the version of the task that was sent last; empty for none
     * @param tries how often it has been tried since, this time included
     * @param seen the time of the last message that this notification tells of
     */
    record ClaimedPush(
            long tenant,
            UUID task,
            String id,
            String agent,
            String principal,
            String sealed,
            String sent,
            int tries,
            Instant seen) {}

    private static String place(long tenant, UUID task) {
        return "a2a_push/%d/%s/config".formatted(tenant, task);
    }

    /** @return whether the task has room for it */
    boolean put(Caller caller, AgentPlace place, UUID task, PushConfig config, Instant now) {
        var sealed = vault.seal(place(caller.tenant(), task), Json.text(config).getBytes(StandardCharsets.UTF_8));
        return of(caller.tenant(), task, INSERT)
                        .set("id", config.id())
                        .set("agent", place.agent())
                        .set("speaker", place.speaker())
                        .set("principal", caller.principal())
                        .set("config", sealed)
                        .set("most", MOST_OF_TASK)
                        .set("now", now)
                        .run()
                > 0;
    }

    Optional<PushConfig> find(long tenant, UUID task, String id) {
        return of(tenant, task, FIND).set("id", id).one(row -> open(tenant, task, row.text("config")));
    }

    List<PushConfig> list(long tenant, UUID task) {
        return of(tenant, task, FIND).set("id", null).list(row -> open(tenant, task, row.text("config")));
    }

    PushConfig open(long tenant, UUID task, String sealed) {
        return Json.readValue(
                new String(vault.open(place(tenant, task), sealed), StandardCharsets.UTF_8), PushConfig.class);
    }

    void delete(long tenant, UUID task, String id) {
        of(tenant, task, DELETE).set("id", id).run();
    }

    /** Claims what is due in any tenant. */
    List<ClaimedPush> claim(int most, Instant now, Duration lease) {
        return db.sql(CLAIM)
                .set("most", most)
                .set("now", now)
                .set("until", now.plus(lease))
                .list(PushStore::claimed);
    }

    private static ClaimedPush claimed(Row row) throws SQLException {
        var sent = row.textOrNull("sent");
        var seen = row.instantOrNull("last_at");
        return new ClaimedPush(
                row.number("tenant_id"),
                row.uuid("task_id"),
                row.text("id"),
                row.text("agent"),
                row.text("principal"),
                row.text("config"),
                sent == null ? "" : sent,
                (int) row.number("tries"),
                seen == null ? Instant.EPOCH : seen);
    }

    void sent(ClaimedPush push, String version, Instant now) {
        of(push.tenant(), push.task(), SENT)
                .set("id", push.id())
                .set("sent", version)
                .set("seen", push.seen())
                .set("now", now)
                .run();
    }

    void later(ClaimedPush push, Instant later) {
        of(push.tenant(), push.task(), LATER)
                .set("id", push.id())
                .set("later", later)
                .run();
    }

    void delete(ClaimedPush push) {
        delete(push.tenant(), push.task(), push.id());
    }

    private Statement of(long tenant, UUID task, String text) {
        return db.sql(text).set("tenant", tenant).set("task", task);
    }

    void purge(Instant now) {
        db.deleteOld(PURGE, now.minus(KEPT));
    }
}
