package io.agentworkspace.engine.a2a.outbound;

import static java.util.stream.Collectors.toMap;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.StorableText;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.workspace.agents.RemoteStore;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The queue of messages to agents elsewhere: a replica claims those that are due, and records what became of them. */
final class OutboundStore {
    private static final String TENANTS_WITH_DUE = """
            SELECT DISTINCT r.tenant_id
              FROM agent_remote r
             WHERE (r.open_until IS NULL OR r.open_until <= :now)
               AND EXISTS (SELECT 1 FROM remote_message q
                            WHERE q.tenant_id = r.tenant_id AND q.agent_id = r.agent_id AND q.due_at <= :now)
            """;

    /**
     * Claims due messages of a tenant. Each agent has two places. Of a conversation, the next message is sent when the one before it was taken, since it continues what came of that.
     * A message continues the task whose agent asks back: that which it replies to, else the latest. One that asks a question begins a task.
     * The state of a message has the other server's {@code context} and {@code task}, and {@code asks} while the agent asks back.
     */
    private static final String CLAIM = """
            WITH due AS (
                SELECT d.place
                  FROM agent_remote r
                 CROSS JOIN LATERAL (SELECT count(*) AS busy
                                       FROM remote_message q
                                      WHERE q.tenant_id = :tenant AND q.agent_id = r.agent_id AND q.claim IS NOT NULL
                                        AND q.due_at > :now) h
                 CROSS JOIN LATERAL (SELECT q.ctid AS place, q.due_at
                                       FROM remote_message q
                                      WHERE q.tenant_id = :tenant AND q.agent_id = r.agent_id AND q.due_at <= :now
                                        AND (q.sent_at IS NOT NULL AND (q.state -> 'asks' IS NULL OR q.answer IS NOT NULL)
                                             OR NOT EXISTS (SELECT 1 FROM remote_message e
                                                             WHERE e.tenant_id = :tenant AND e.conversation_id = q.conversation_id
                                                               AND e.agent_id = q.agent_id AND e.due_at IS NOT NULL
                                                               AND CASE WHEN q.sent_at IS NULL
                                                                        THEN e.seq < q.seq AND (e.sent_at IS NULL OR e.state -> 'asks' IS NOT NULL AND e.claim IS NOT NULL AND e.due_at > :now)
                                                                        ELSE e.seq > q.seq AND e.sent_at IS NULL END))
                                      ORDER BY q.due_at
                                      LIMIT greatest(:each - h.busy, 0)) d
                 WHERE r.tenant_id = :tenant AND (r.open_until IS NULL OR r.open_until <= :now)
                 ORDER BY h.busy, d.due_at
                 LIMIT :room),
            free AS (
                SELECT q.place
                  FROM due
                 CROSS JOIN LATERAL (SELECT q.ctid AS place
                                       FROM remote_message q
                                      WHERE q.tenant_id = :tenant AND q.ctid = due.place AND q.due_at <= :now
                                        FOR UPDATE SKIP LOCKED) q),
            taken AS (
                UPDATE remote_message q
                   SET due_at = :until, claim = :claim, attempts = q.attempts + 1
                  FROM free
                 WHERE q.tenant_id = :tenant AND q.ctid = free.place
             RETURNING q.*)
            SELECT q.tenant_id, q.message_id, q.agent_id, q.claim, q.attempts, q.created_at, q.sent_at IS NOT NULL AS sent, q.answer,
                   q.state -> 'asks' IS NOT NULL AS asks,
                   q.unsure, q.said, m.content, COALESCE(q.root_id, o.root_id, q.message_id) AS root_id,
                   COALESCE(q.state ->> 'context', b.context) AS context, COALESCE(q.state ->> 'task', o.task) AS task,
                   r.url, r.header, r.secret, r.set_at, r.internal, t.name AS tenant, u.id AS user_id, u.name AS user_name, u.role,
                   ARRAY(SELECT d.name || ', version ' || d.version FROM document d
                          WHERE d.tenant_id = :tenant AND d.id = ANY (m.attached)) AS attached,
                   k.choices, k.id IS NOT NULL AS asked, k.withdrawn_at IS NOT NULL AS withdrawn
              FROM taken q
              JOIN agent_remote r ON r.tenant_id = :tenant AND r.agent_id = q.agent_id
             CROSS JOIN LATERAL (SELECT a.owner_id FROM agent a WHERE a.tenant_id = :tenant AND a.id = q.agent_id LIMIT 1) a
              JOIN app_user u ON u.tenant_id = :tenant AND u.id = a.owner_id
              JOIN tenant t ON t.tenant_id = :tenant
             CROSS JOIN LATERAL (SELECT m.content, m.answers, m.attached FROM message m
                                  WHERE m.tenant_id = :tenant AND m.conversation_id = q.conversation_id AND m.seq = q.seq LIMIT 1) m
              LEFT JOIN LATERAL (SELECT x.answers FROM message x WHERE x.tenant_id = :tenant AND x.id = m.answers LIMIT 1) x ON true
              LEFT JOIN LATERAL (SELECT e.state ->> 'context' AS context FROM remote_message e
                                  WHERE e.tenant_id = :tenant AND e.conversation_id = q.conversation_id AND e.agent_id = q.agent_id
                                    AND e.seq < q.seq AND e.state -> 'context' IS NOT NULL
                                  ORDER BY e.seq DESC LIMIT 1) b ON true
              LEFT JOIN LATERAL (SELECT e.root_id, e.state ->> 'task' AS task FROM remote_message e
                                  WHERE e.tenant_id = :tenant AND e.conversation_id = q.conversation_id AND e.agent_id = q.agent_id
                                    AND e.seq < q.seq AND e.state -> 'asks' IS NOT NULL
                                    AND (m.answers IS NULL
                                         OR e.root_id IN (SELECT s.root_id FROM remote_message s
                                                           WHERE s.tenant_id = :tenant AND s.message_id IN (m.answers, x.answers)))
                                    AND NOT EXISTS (SELECT 1 FROM question n WHERE n.tenant_id = :tenant AND n.id = q.message_id)
                                  ORDER BY e.seq DESC LIMIT 1) o ON q.sent_at IS NULL
              LEFT JOIN LATERAL (SELECT k.id, k.choices, k.withdrawn_at FROM question k
                                  WHERE k.tenant_id = :tenant AND k.id = COALESCE(q.root_id, o.root_id, q.message_id) LIMIT 1) k ON true
            """;

    /**
     * What comes from another address than where the agent lives now is not recorded. A message takes over the task that it continues; if it
     * fails, that task is looked at at once.
     */
    private static final String RECEIVED = """
            WITH health AS (
                UPDATE agent_remote r
                   SET failures = CASE WHEN CAST(:error AS text) IS NULL THEN 0 ELSE r.failures END,
                       failing_since = CASE WHEN CAST(:error AS text) IS NOT NULL THEN r.failing_since END,
                       open_until = CASE WHEN CAST(:error AS text) IS NOT NULL THEN r.open_until END, last_error = :error
                 WHERE r.tenant_id = :tenant AND r.agent_id = :agent AND r.url = :url
                   AND (r.failing_since IS NOT NULL OR r.last_error IS DISTINCT FROM CAST(:error AS text))),
            own AS (
                UPDATE remote_message q
                   SET sent_at = COALESCE(q.sent_at, :now), root_id = :root, answer = :answer, attempts = 0,
                       state = jsonb_strip_nulls(jsonb_build_object(
                           'context', COALESCE(NULLIF(:context, ''), NULLIF(:known, '')),
                           'task', COALESCE(NULLIF(:task, ''), q.state ->> 'task'), 'asks', NULLIF(:asks, false))),
                       due_at = :due, claim = CASE WHEN CAST(:answer AS text) IS NOT NULL THEN q.claim END
                 WHERE q.tenant_id = :tenant AND q.message_id = :message AND q.claim = :claim
                   AND EXISTS (SELECT 1 FROM agent_remote r WHERE r.tenant_id = :tenant AND r.agent_id = :agent AND r.url = :url)
             RETURNING q.*),
            before AS (
                UPDATE remote_message e
                   SET state = e.state - 'asks',
                       due_at = CASE WHEN e.answer IS NOT NULL THEN e.due_at WHEN CAST(:error AS text) IS NOT NULL THEN :now END
                  FROM own
                 WHERE e.tenant_id = :tenant AND e.conversation_id = own.conversation_id AND e.agent_id = own.agent_id
                   AND e.root_id = own.root_id AND e.seq < own.seq AND e.state -> 'asks' IS NOT NULL)
            SELECT count(*) AS recorded FROM own
            """;

    private static final String FAILED = """
            WITH failing AS (
                UPDATE agent_remote r
                   SET failures = r.failures + 1, failing_since = COALESCE(r.failing_since, :now), last_error = :words,
                       open_until = CASE WHEN r.failures + 1 >= :patience
                                         THEN CAST(:now AS timestamptz)
                                              + least(interval '5 minutes', interval '5 seconds' * power(2, least(r.failures + 1 - :patience, 6)))
                                    END
                 WHERE r.tenant_id = :tenant AND r.agent_id = :agent AND r.url = :url)
            UPDATE remote_message q
               SET due_at = :due, claim = NULL, unsure = :unsure
             WHERE q.tenant_id = :tenant AND q.message_id = :message AND q.claim = :claim
            """;

    private static final String LATER = """
            UPDATE remote_message SET due_at = :due, claim = NULL
             WHERE tenant_id = :tenant AND message_id = :message AND claim = :claim
            """;

    private static final String RENEW = """
            UPDATE remote_message SET due_at = :due
             WHERE tenant_id = :tenant AND message_id = :message AND claim = :claim
            """;

    /** While the agent asks back, its task is still looked at: it may go on by itself. */
    private static final String SAID = """
            WITH refused AS (
                UPDATE agent_remote SET last_error = :error
                 WHERE tenant_id = :tenant AND agent_id = :agent AND CAST(:error AS text) IS NOT NULL)
            UPDATE remote_message
               SET due_at = CASE WHEN state -> 'asks' IS NOT NULL THEN CAST(:due AS timestamptz) END, claim = NULL, answer = NULL, said = :said
             WHERE tenant_id = :tenant AND message_id = :message AND claim = :claim
            """;

    /** Nothing more is expected of it, and nothing continues its task. */
    private static final String END = """
            UPDATE remote_message SET due_at = NULL, claim = NULL, answer = NULL, state = state - 'asks'
             WHERE tenant_id = :tenant AND message_id = :message AND claim = :claim
            """;

    /** So many failures in a row, and nothing is sent for a while. */
    private static final int PATIENCE = 5;

    private static final int EACH = 2;
    private static final Duration KEPT = Duration.ofDays(30);
    private static final Set<String> CAPABILITIES =
            Set.of("agent:read", "agent:write", "document:read", "document:write");
    private static final String OLD =
            Db.oldRows("remote_message", "tenant_id, message_id", "due_at IS NULL AND created_at < :until");

    private final Db db;
    private final Vault vault;
    private final TenantTurns turns = new TenantTurns("messages to agents elsewhere are claimed");

    OutboundStore(Db db, Vault vault) {
        this.db = db;
        this.vault = vault;
    }

    /**
     * A message that is claimed.
     *
     * @param caller the agent, with the permissions of its owner
     * @param attempts how often it was claimed since the other server last answered, this time included
     * @param unsure how often it was sent without an answer
     * @param said the mark of the answer that was said last; empty for none
     * @param sent whether the other server has taken it
     * @param context the conversation as the other server calls it; empty if it is new
     * @param task the task that it began or continues; empty for none
     * @param root the message that began the task
     * @param choices of the question that the root asks; null if it asks none
     * @param withdrawn whether that was taken back
     * @param answer what is still to be said
     */
    record Claim(
            Remote remote,
            Caller caller,
            UUID message,
            UUID claim,
            int attempts,
            int unsure,
            String said,
            Instant createdAt,
            boolean sent,
            String content,
            List<String> attached,
            String context,
            String task,
            UUID root,
            boolean asks,
            @Nullable List<String> choices,
            boolean withdrawn,
            @Nullable ObjectNode answer) {
        /** Whether the other server need not know the message, or need not go on with it. */
        boolean isWithdrawn() {
            return withdrawn && answer == null && (sent || message.equals(root));
        }

        Claim having(RemoteNews news) {
            return new Claim(
                    remote,
                    caller,
                    message,
                    claim,
                    0,
                    unsure,
                    said,
                    createdAt,
                    true,
                    content,
                    attached,
                    context,
                    task,
                    root,
                    news.asks(),
                    choices,
                    withdrawn,
                    news.answer());
        }
    }

    /** Where the agent lives, with the sealed credential. */
    record Remote(
            long tenant,
            long agent,
            String url,
            @Nullable String header,
            @Nullable String sealed,
            Instant setAt,
            boolean internal) {
        /** Returns the address without what may be secret. */
        String host() {
            return URI.create(url).getAuthority();
        }
    }

    List<Claim> claim(Instant now, Duration lease, int room) {
        var tenants = db.sql(TENANTS_WITH_DUE).set("now", now).list(row -> row.number("tenant_id")).stream()
                .collect(toMap(tenant -> tenant, _ -> 1L));
        return turns.divide(
                room,
                tenants,
                (tenant, share, _) -> db.sql(CLAIM)
                        .set("tenant", tenant)
                        .set("now", now)
                        .set("until", now.plus(lease))
                        .set("claim", UUID.randomUUID())
                        .set("each", EACH)
                        .set("room", share)
                        .list(OutboundStore::claim));
    }

    private static Claim claim(Row row) throws SQLException {
        var tenant = row.number("tenant_id");
        var agent = row.number("agent_id");
        var caller = new Caller(
                tenant,
                row.text("tenant"),
                row.number("user_id"),
                row.text("user_name"),
                Role.of(row.text("role")),
                CAPABILITIES,
                "remote:" + agent,
                agent);
        var answer = row.textOrNull("answer");
        return new Claim(
                new Remote(
                        tenant,
                        agent,
                        row.text("url"),
                        row.textOrNull("header"),
                        row.textOrNull("secret"),
                        instant(row, "set_at"),
                        row.flag("internal")),
                caller,
                row.uuid("message_id"),
                row.uuid("claim"),
                Math.toIntExact(row.number("attempts")),
                Math.toIntExact(row.number("unsure")),
                Objects.requireNonNullElse(row.textOrNull("said"), ""),
                instant(row, "created_at"),
                row.flag("sent"),
                row.text("content"),
                row.texts("attached"),
                Objects.requireNonNullElse(row.textOrNull("context"), ""),
                Objects.requireNonNullElse(row.textOrNull("task"), ""),
                row.uuid("root_id"),
                row.flag("asks"),
                row.flag("asked") ? row.texts("choices") : null,
                row.flag("withdrawn"),
                answer == null ? null : Json.readObject(answer.getBytes(StandardCharsets.UTF_8)));
    }

    private static Instant instant(Row row, String column) throws SQLException {
        return Objects.requireNonNull(row.instantOrNull(column));
    }

    /** @throws io.agentworkspace.engine.kernel.secrets.SecretsFailure if the credential cannot be opened */
    RemoteAgent open(Remote remote) {
        var secret = remote.sealed() == null
                ? ""
                : new String(
                        vault.open(RemoteStore.place(remote.tenant(), remote.url()), remote.sealed()),
                        StandardCharsets.UTF_8);
        return new RemoteAgent(
                remote.tenant(),
                remote.agent(),
                remote.url(),
                remote.header(),
                secret,
                remote.setAt(),
                remote.internal());
    }

    /**
     * Records what the other server answered. An answer is said under the same claim.
     *
     * @param due when to look again, or when the claim expires; null if it is not looked at any more
     * @param error why there is no answer; null if the server has answered well
     */
    boolean received(Claim claim, RemoteNews news, Instant now, @Nullable Instant due, @Nullable String error) {
        return of(claim, RECEIVED)
                        .set("url", claim.remote().url())
                        .set("context", news.context())
                        .set("known", claim.context())
                        .set("task", news.task())
                        .set("root", claim.root())
                        .set("asks", news.asks())
                        .set("answer", news.answer() == null ? null : StorableText.replaced(Json.text(news.answer())))
                        .set("now", now)
                        .set("due", due)
                        .set("error", error)
                        .one(row -> row.number("recorded"))
                        .orElse(0L)
                > 0;
    }

    void failed(Claim claim, String words, int unsure, Instant now, Instant due) {
        of(claim, FAILED)
                .set("url", claim.remote().url())
                .set("words", words)
                .set("patience", PATIENCE)
                .set("unsure", unsure)
                .set("now", now)
                .set("due", due)
                .run();
    }

    /** Extends the claim; false if it is lost. */
    boolean renew(Claim claim, Instant until) {
        return of(claim, RENEW).set("due", until).run() > 0;
    }

    /** Looks at it again then, whatever the other server does. */
    void later(Claim claim, Instant due) {
        of(claim, LATER).set("due", due).run();
    }

    /** Nothing more is sent or said of it. */
    void end(Claim claim) {
        of(claim, END).run();
    }

    /**
     * Its answer was said.
     *
     * @param due when to look again if the agent asks back
     * @param error why it was not said; null if it was
     */
    void said(Claim claim, @Nullable Instant due, @Nullable String error) {
        of(claim, SAID)
                .set("due", due)
                .set("error", error == null ? null : StorableText.replaced(error))
                .set("said", claim.answer() == null ? null : RemoteNews.mark(claim.answer()))
                .run();
    }

    private Statement of(Claim claim, String statement) {
        return db.sql(statement)
                .set("tenant", claim.remote().tenant())
                .set("agent", claim.remote().agent())
                .set("message", claim.message())
                .set("claim", claim.claim());
    }

    int purge(Instant now) {
        return db.deleteOld(OLD, now.minus(KEPT));
    }
}
