package io.agentworkspace.engine.calls.inbox;

import io.agentworkspace.engine.calls.inbox.InboxItem.Action;
import io.agentworkspace.engine.calls.inbox.InboxItem.Incident;
import io.agentworkspace.engine.calls.inbox.InboxItem.Kind;
import io.agentworkspace.engine.kernel.access.UpstreamOffers;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.workspace.guard.GuardStore;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Reads what waits for a user: one statement, in which an index leads to the items of each kind. */
final class InboxQueries {
    private static final int TEXT = 500;

    /** So many waiting messages are counted. */
    private static final int COUNTED = 10_000;

    /** Whether an item is on the page. */
    private static final String BEFORE = """
            (CAST(:before AS timestamptz) IS NULL
             OR ({at}, ({key}) COLLATE "C") < (CAST(:before AS timestamptz), CAST(:before_key AS text) COLLATE "C"))
            """;

    /** Direct conversations of the user where messages wait. */
    private static final String UNREAD = """
            unread AS MATERIALIZED (
                SELECT p.conversation_id, p.read_seq
                  FROM participant p
                 WHERE :agents AND p.tenant_id = :tenant AND p.party_id = :user AND p.last_seq > p.read_seq + p.own_unread)
            """;

    /**
     * Whether a message {@code x} of such a conversation waits: nobody has returned it whole to the user, or answered it for the
     * user. A question waits as one, and is over when it is answered.
     */
    private static final String WAITS = """
            x.tenant_id = :tenant AND x.conversation_id = u.conversation_id AND x.seq > u.read_seq AND x.speaker_id <> :user
            AND x.read_at IS NULL AND x.changes IS NULL
            AND NOT EXISTS (SELECT 1 FROM question q WHERE q.tenant_id = :tenant AND q.id = x.id)
            """;

    /** Open questions to the user. */
    private static final String QUESTIONS = """
            question_item AS MATERIALIZED (
                SELECT q.id, q.created_at, q.choices, m.conversation_id, m.seq, m.content, m.speaker_id
                  FROM question q
                  JOIN message m ON m.tenant_id = :tenant AND m.id = q.id
                 WHERE :agents AND q.tenant_id = :tenant AND q.to_id = :user
                   AND q.answered_at IS NULL AND q.withdrawn_at IS NULL
                   AND (q.expires_at IS NULL OR q.expires_at > clock_timestamp()))
            """;

    /** The newest unread messages. */
    private static final String MESSAGES = SqlTemplate.of("""
            message_item AS MATERIALIZED (
                SELECT m.*
                  FROM unread u
                 CROSS JOIN LATERAL (SELECT x.id, x.created_at, x.content, x.speaker_id
                                       FROM message x
                                      WHERE {waits} AND {before}
                                      ORDER BY x.seq DESC
                                      LIMIT :limit + 1) m)
            """)
            .with("waits", WAITS)
            .with("before", before("x.created_at", "'message:' || x.id"))
            .sql();

    /** How many messages wait, at most {@link #COUNTED}. */
    private static final String COUNT =
            SqlTemplate.of("""
            (SELECT count(*)
               FROM (SELECT 1 FROM unread u CROSS JOIN LATERAL (SELECT 1 FROM message x WHERE {waits}) m LIMIT {counted}) one)
            """).with("waits", WAITS).with("counted", COUNTED).sql();

    /** Memberships that wait for the decision of an agent's owner, or of a domain's. An admin decides about all. */
    private static final String MEMBERSHIPS = """
            membership_item AS MATERIALIZED (
                SELECT m.state, m.since, a.name AS agent, d.name AS domain,
                       m.owner_id AS agent_owner, d.owner_id AS domain_owner
                  FROM membership m
                  JOIN domain d ON d.tenant_id = :tenant AND d.id = m.domain_id
                  JOIN agent a ON a.tenant_id = :tenant AND a.id = m.agent_id AND a.destroyed_at IS NULL
                 WHERE :domains AND m.tenant_id = :tenant AND m.state IN ('invited', 'requested')
                   AND (CASE m.state WHEN 'invited' THEN m.owner_id ELSE d.owner_id END = :user
                        OR (:admin AND :caller = :user)))
            """;

    /**
     * Incidents of the loop guard, with agents of the user or in a zone of the user's domain, in which an agent is still stopped.
     * Its limit has not ended, and nobody has resumed it: no message of its own or of a person, and no progress.
     */
    private static final String STOPS_OF_AGENTS = SqlTemplate.of("""
            incident AS MATERIALIZED (
                SELECT DISTINCT g.incident
                  FROM guard_stop g
                 WHERE :agents AND g.tenant_id = :tenant AND g.retry_at > :now
                   AND CASE WHEN g.is_zone
                            THEN EXISTS (SELECT 1 FROM conversation s
                                          WHERE s.tenant_id = :tenant AND s.id = g.place_id
                                            AND (s.counted_at IS NULL OR s.counted_at <= g.at))
                                 AND NOT EXISTS (SELECT 1
                                                   FROM zone z
                                                   JOIN zone mz ON mz.tenant_id = :tenant AND mz.domain_id = z.domain_id
                                                               AND mz.name_key = 'main'
                                                   JOIN conversation main ON main.tenant_id = :tenant AND main.id = mz.conversation_id
                                                  WHERE z.tenant_id = :tenant AND z.conversation_id = g.place_id
                                                    AND main.progress_at > g.at)
                                 AND NOT EXISTS (SELECT 1 FROM message m
                                                  WHERE m.tenant_id = :tenant AND m.conversation_id = g.place_id AND m.seq >= g.seq
                                                    AND (m.person OR (m.speaker_id = g.agent_id AND NOT m.notice)))
                            ELSE EXISTS (SELECT 1 FROM agent a
                                          WHERE a.tenant_id = :tenant AND a.id = g.place_id AND a.destroyed_at IS NULL)
                                 AND NOT EXISTS (SELECT 1
                                                   FROM conversation s
                                                   JOIN message m ON m.tenant_id = :tenant AND m.conversation_id = s.id
                                                                 AND m.seq >= g.seq AND m.speaker_id = g.agent_id AND NOT m.notice
                                                  WHERE s.tenant_id = :tenant AND s.low_id = least(g.agent_id, g.place_id)
                                                    AND s.high_id = greatest(g.agent_id, g.place_id))
                                 AND NOT EXISTS (SELECT 1 FROM guard_received h
                                                  WHERE h.tenant_id = :tenant
                                                    AND ((h.agent_id = g.agent_id AND greatest(h.person_at, h.progress_at) > g.at)
                                                         OR (h.agent_id = g.place_id AND h.progress_at > g.at))) END),
            guard_item AS MATERIALIZED (
                SELECT g.incident, max(g.at) AS at, sum(g.refused) AS refused, max(g.retry_at) AS retry_at, bool_or(g.is_zone) AS is_zone,
                       max(g.place_id) AS place_id, (array_agg(g.note ORDER BY g.at DESC))[1] AS note,
                       (array_agg(g.agent_id ORDER BY g.at DESC))[1] AS stopped_id,
                       array_agg(g.agent_id) || COALESCE(array_agg(g.place_id) FILTER (WHERE NOT g.is_zone), '{}') AS agents
                  FROM incident i
                  JOIN guard_stop g ON g.tenant_id = :tenant AND g.incident = i.incident
                 GROUP BY g.incident),
            guard_seen AS MATERIALIZED (
                SELECT g.*, d.name AS domain, d.zone, d.id IS NOT NULL AND (d.owner_id = :user OR :admin) AS may_set_domain,
                       d.guard AS domain_guard, own.name AS own, own.guard AS own_guard, stopped.name AS stopped, named.names
                  FROM guard_item g
                  LEFT JOIN LATERAL (SELECT x.id, x.owner_id, x.name, z.name AS zone, {domain_guard} AS guard
                                       FROM zone z JOIN domain x ON x.tenant_id = :tenant AND x.id = z.domain_id
                                      WHERE g.is_zone AND z.tenant_id = :tenant AND z.conversation_id = g.place_id) d ON true
                  CROSS JOIN LATERAL (SELECT array_agg(a.name ORDER BY a.name_key) AS names,
                                             bool_or(a.owner_id = :user) AS is_own
                                        FROM agent a WHERE a.tenant_id = :tenant AND a.id = ANY(g.agents)) named
                  LEFT JOIN LATERAL (SELECT a.name FROM agent a WHERE a.tenant_id = :tenant AND a.id = g.stopped_id) stopped ON true
                  LEFT JOIN LATERAL (SELECT a.name, {agent_guard} AS guard FROM agent a
                                      WHERE a.tenant_id = :tenant AND a.id = ANY(g.agents) AND a.destroyed_at IS NULL
                                        AND (a.owner_id = :user OR :admin)
                                      ORDER BY a.id = g.stopped_id DESC, a.id
                                      LIMIT 1) own ON NOT g.is_zone
                 WHERE named.is_own OR d.owner_id = :user)
            """)
            .with("domain_guard", GuardStore.limits("x"))
            .with("agent_guard", GuardStore.limits("a"))
            .sql();

    private static final String TASKS =
            SqlTemplate.of("""
            task_item AS MATERIALIZED (
                SELECT t.id, t.title, d.name AS domain, last.at, last.note, last.by_id, t.updated_at,
                       CASE WHEN t.holder_id IS NOT NULL AND t.lease_until > clock_timestamp() THEN t.fence END AS fence
                  FROM task t
                  JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id AND {may_talk}
                  LEFT JOIN LATERAL (SELECT h.at, h.note, h.by_id
                                       FROM task_change h
                                      WHERE h.tenant_id = :tenant AND h.task_id = t.id AND h.what = 'blocked'
                                      ORDER BY h.revision DESC
                                      LIMIT 1) last ON true
                 WHERE :tasks AND t.tenant_id = :tenant AND t.creator_id = :user AND t.state = 'blocked')
            """).with("may_talk", Visibility.talk("d")).sql();

    private static final String UPSTREAMS = SqlTemplate.of("""
            upstream_item AS MATERIALIZED (
                SELECT u.name, u.revision, COALESCE(u.refreshed_at, u.updated_at) AS at,
                       count(*) AS total, count(*) FILTER (WHERE t.kind = 'tool') AS tools,
                       string_agg(t.name, ', ' ORDER BY t.kind DESC, t.name) AS names
                  FROM upstream u
                  JOIN {offers} ON t.tenant_id = :tenant AND t.upstream = u.name AND {waits}
                 WHERE :upstreams AND u.tenant_id = :tenant
                 GROUP BY u.name, u.revision, u.refreshed_at, u.updated_at)
            """)
            .with("offers", UpstreamOffers.ALL)
            .with("waits", UpstreamOffers.WAITS)
            .sql();

    private static final String ENDPOINTS = """
            endpoint_item AS MATERIALIZED (
                SELECT e.id, e.url, e.enabled, e.disabled_reason, e.failures_in_row,
                       COALESCE(e.failing_since, e.updated_at) AS at
                  FROM webhook_endpoint e
                 WHERE :endpoints AND e.tenant_id = :tenant AND e.deleted_at IS NULL AND e.events <> '{push}'
                   AND (e.disabled_reason IN ('gone', 'failing') OR (e.enabled AND e.failing_since IS NOT NULL)))
            """;

    /** The name of a party. */
    private static String party(String id) {
        return SqlTemplate.of("(SELECT x.name FROM party x WHERE x.tenant_id = :tenant AND x.id = {id})")
                .with("id", id)
                .sql();
    }

    private static String before(String at, String key) {
        return BEFORE.replace("{at}", at).replace("{key}", key);
    }

    /** All items with their texts. Of each kind only those of the page are looked up. */
    private static final String ITEMS = SqlTemplate.of("""
            item AS (
                SELECT 'message' AS kind, CAST(m.id AS text) AS id, m.created_at AS at, p.name AS from, NULL AS about,
                       m.content AS text, jsonb_build_object('by', p.kind) AS detail
                  FROM message_item m
                 CROSS JOIN LATERAL (SELECT x.name, x.kind FROM party x
                                      WHERE x.tenant_id = :tenant AND x.id = m.speaker_id OFFSET 0) p
                UNION ALL
                SELECT 'question', CAST(q.id AS text), q.created_at, {asker}, NULL, q.content,
                       jsonb_build_object('choices', q.choices)
                  FROM question_item q
                UNION ALL
                SELECT CASE m.state WHEN 'invited' THEN 'invitation' ELSE 'request' END, m.domain || '/' || m.agent, m.since,
                       CASE m.state WHEN 'invited' THEN {domain_owner} ELSE {agent_owner} END, m.domain,
                       CASE m.state WHEN 'invited' THEN 'invites your agent ' || m.agent || ' into ' || m.domain
                                    ELSE 'asks to let the agent ' || m.agent || ' into ' || m.domain END,
                       jsonb_build_object('agent', m.agent, 'domain', m.domain)
                  FROM membership_item m
                UNION ALL
                SELECT 'guard', 'incident-' || g.incident, g.at, g.stopped,
                       CASE WHEN g.is_zone THEN g.domain || ', ' || g.zone ELSE array_to_string(g.names, ', ') END, g.note,
                       jsonb_strip_nulls(jsonb_build_object(
                           'domain', g.domain, 'zone', g.zone, 'may_set_domain', g.may_set_domain, 'own', g.own,
                           'agents', g.names, 'refused', g.refused, 'retry_at', g.retry_at,
                           'guard', CASE WHEN NOT g.is_zone THEN g.own_guard WHEN g.may_set_domain THEN g.domain_guard END))
                  FROM guard_seen g
                UNION ALL
                SELECT 'task', CAST(t.id AS text), COALESCE(t.at, t.updated_at), {blocked_by}, t.domain,
                       t.title || COALESCE(': ' || t.note, ''), jsonb_strip_nulls(jsonb_build_object('fence', t.fence))
                  FROM task_item t
                UNION ALL
                SELECT 'upstream', u.name, u.at, u.name, NULL,
                       CASE WHEN u.total = u.tools AND u.total = 1 THEN '1 tool is held: '
                            WHEN u.total = u.tools THEN u.total || ' tools are held: '
                            ELSE u.total || ' tools, resources or prompts are held: ' END || u.names,
                       jsonb_build_object('revision', u.revision)
                  FROM upstream_item u
                UNION ALL
                SELECT 'endpoint', CAST(e.id AS text), e.at, NULL, e.url,
                       CASE WHEN e.disabled_reason = 'gone' THEN 'is disabled, since it answered 410'
                            WHEN e.disabled_reason = 'failing' THEN 'is disabled, since all deliveries failed'
                            WHEN e.failures_in_row = 1 THEN 'the last delivery failed'
                            ELSE 'the last ' || e.failures_in_row || ' deliveries failed' END,
                       jsonb_build_object('enabled', e.enabled)
                  FROM endpoint_item e),
            page AS (
                SELECT i.* FROM item i
                 WHERE {before}
                 ORDER BY i.at DESC, (i.kind || ':' || i.id) COLLATE "C" DESC
                 LIMIT :limit + 1)
            """)
            .with("asker", party("q.speaker_id"))
            .with("domain_owner", party("m.domain_owner"))
            .with("agent_owner", party("m.agent_owner"))
            .with("blocked_by", party("t.by_id"))
            .with("before", before("i.at", "i.kind || ':' || i.id"))
            .sql();

    private static final String READ = "WITH "
            + String.join(
                    ", ", UNREAD, QUESTIONS, MESSAGES, MEMBERSHIPS, STOPS_OF_AGENTS, TASKS, UPSTREAMS, ENDPOINTS, ITEMS)
            + SqlTemplate.of("""
            SELECT (SELECT jsonb_agg(jsonb_build_object('kind', i.kind, 'id', i.id, 'at', i.at, 'from', i.from, 'about', i.about,
                                                        'text', left(i.text, :text), 'detail', i.detail)
                                     ORDER BY i.at DESC, (i.kind || ':' || i.id) COLLATE "C" DESC) FROM page i) AS rows,
                   jsonb_build_object(
                       'message', {messages},
                       'question', (SELECT count(*) FROM question_item),
                       'invitation', (SELECT count(*) FROM membership_item m WHERE m.state = 'invited'),
                       'request', (SELECT count(*) FROM membership_item m WHERE m.state = 'requested'),
                       'guard', (SELECT count(*) FROM guard_seen),
                       'task', (SELECT count(*) FROM task_item),
                       'upstream', (SELECT count(*) FROM upstream_item),
                       'endpoint', (SELECT count(*) FROM endpoint_item)) AS counts
            """).with("messages", COUNT).sql();

    private final Db db;

    InboxQueries(Db db) {
        this.db = db;
    }

    /** A page of what waits, and how many items of each kind there are. */
    record Inbox(ListSlice<InboxItem> items, Map<String, Long> counts) {}

    private record ItemRow(
            String kind,
            String id,
            Instant at,
            @Nullable String from,
            @Nullable String about,
            String text,
            ObjectNode detail) {
        InboxItem item(Call call) {
            var type = Kind.valueOf(kind.toUpperCase(Locale.ROOT));
            var actions = call.actingFor() == null
                    ? InboxActions.of(call, type, id, from, detail)
                    : List.<Action>of(); // They would be the caller's own.
            var incident = type == Kind.GUARD ? Json.bind(detail, Incident.class) : null;
            return InboxItem.of(type, id, at, from, about, text, incident, actions);
        }
    }

    private record Found(List<ItemRow> rows, ObjectNode counts) {}

    Inbox read(Call call, @Nullable Page page) {
        var limit = Page.limit(page);
        var keys = Page.after(page, 2);
        var caller = call.caller();
        var found = db.sql(call, READ)
                .set("agents", caller.mayRead(Family.AGENT))
                .set("domains", caller.mayRead(Family.DOMAIN))
                .set("tasks", caller.mayRead(Family.TASK))
                .set("upstreams", caller.isAdmin() && caller.mayRead(Family.UPSTREAM))
                .set("endpoints", caller.isAdmin() && caller.mayRead(Family.WEBHOOK))
                .set("before", keys.isEmpty() ? null : ListPosition.time(keys.getFirst()))
                .set("before_key", keys.isEmpty() ? null : keys.getLast())
                .set("limit", limit)
                .set("text", TEXT)
                .one(row ->
                        new Found(row.jsonList("rows", ItemRow.class), counts(row.json("counts", ObjectNode.class))))
                .orElseThrow();
        var items = found.rows().stream().map(row -> row.item(call)).toList();
        return new Inbox(ListSlice.of(call, items, limit, InboxQueries::cursor), positive(found.counts()));
    }

    private static String cursor(InboxItem last) {
        return Cursor.of(last.at().toString(), last.kind().word() + ":" + last.id());
    }

    private static ObjectNode counts(@Nullable ObjectNode read) {
        return read == null ? Json.object() : read;
    }

    private static Map<String, Long> positive(ObjectNode counts) {
        var all = new LinkedHashMap<String, Long>();
        for (var kind : Kind.values()) {
            var count = counts.path(kind.word()).asLong();
            if (count > 0) {
                all.put(kind.word(), count);
            }
        }
        return all;
    }
}
