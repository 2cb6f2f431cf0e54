package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.identity.audit.AuditQueries;
import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.workspace.messages.MessageRow;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Reads the log of changes, filtered by what the audience may see at that moment, in one statement. What a row names is
 * looked up for each row, and the rows of a topic are computed once, whatever number of rows PostgreSQL expects.
 */
final class LiveQueries {
    /** The maximum number of listed changes. If there are more, the client must read everything again. */
    private static final int MOST = 1_000;

    private static final Duration KEPT = Duration.ofMinutes(10);

    /**
     * A message is looked up by its conversation and number, the whole key of the table. Of its id and the tenant, a plan for an
     * empty table can choose the index by the tenant alone. Rows of an earlier version have no number.
     */
    private static final String MESSAGES = SqlTemplate.of("""
            SELECT l.ordinal, l.xid, l.at, l.topic, {message_json} AS data
              FROM live l
             CROSS JOIN LATERAL (SELECT * FROM message x
                                  WHERE x.tenant_id = :tenant AND x.conversation_id = l.place AND x.id = l.thing
                                    AND x.seq = COALESCE(l.other, (SELECT y.seq FROM message y
                                                                    WHERE y.tenant_id = :tenant AND y.id = l.thing))
                                 OFFSET 0) m
              {message_joins}
             WHERE l.topic = 'messages' AND :messages
               AND CASE WHEN md.id IS NOT NULL THEN :zones AND {may_talk}
                        ELSE :direct AND {may_see_stream} END
            """)
            .with("message_json", MessageRow.CUT_JSON)
            .with("message_joins", MessageRow.JOINS)
            .with("may_see_stream", Visibility.conversation("st"))
            .with("may_talk", Visibility.talk("md"))
            .sql();

    private static final String MEMORIES = SqlTemplate.of("""
            SELECT l.ordinal, l.xid, l.at, l.topic,
                   jsonb_build_object('bank', b.name, 'change', l.action, 'count', l.other, 'id', l.thing, 'name', m.name,
                                      'text', left(m.text, 500), 'length', char_length(m.text), 'tags', m.tags,
                                      'author', author.name, 'revision', m.revision) AS data
              FROM live l
             CROSS JOIN s
             CROSS JOIN LATERAL (SELECT * FROM bank x WHERE x.tenant_id = :tenant AND x.id = l.place OFFSET 0) b
             CROSS JOIN {permit}
              LEFT JOIN LATERAL (SELECT * FROM memory x WHERE x.tenant_id = :tenant AND x.bank_id = l.place AND x.id = l.thing OFFSET 0) m ON {readable}
              LEFT JOIN LATERAL (SELECT * FROM party x WHERE x.tenant_id = :tenant AND x.id = m.author_id OFFSET 0) author ON true
             WHERE l.topic = 'memories' AND :memories AND b.censored_at IS NULL
               AND (m.id IS NOT NULL OR l.thing IS NULL OR l.action = 'removed')
               AND {visible_bank} AND permit.permission <> 'none'
            """)
            .with("permit", BankPermissionRow.PERMIT)
            .with("readable", MemoryVisibility.readable("m", "b"))
            .with("visible_bank", Visibility.bank("b"))
            .sql();

    private static final String PRESENCE = SqlTemplate.of("""
            SELECT l.ordinal, l.xid, l.at, l.topic,
                   jsonb_build_object('agent', a.name, 'change', l.action, 'online', a.destroyed_at IS NULL AND {online},
                                      'domain', d.name) AS data
              FROM live l
             CROSS JOIN LATERAL (SELECT * FROM agent x WHERE x.tenant_id = :tenant AND x.id = l.place OFFSET 0) a
              LEFT JOIN LATERAL (SELECT * FROM domain x WHERE x.tenant_id = :tenant AND x.id = l.other OFFSET 0) d ON {visible_domain}
             WHERE l.topic = 'presence' AND :presence
               AND ({visible_agent} OR (a.destroyed_at IS NOT NULL AND (a.owner_id = :user OR :admin OR a.access = 'public')))
            """)
            .with("online", ContextStore.online("a"))
            .with("visible_domain", Visibility.domain("d"))
            .with("visible_agent", Visibility.agent("a"))
            .sql();

    private static final String DELIVERIES = """
            SELECT l.ordinal, l.xid, l.at, l.topic,
                   jsonb_build_object('id', w.id, 'endpoint_id', w.endpoint_id, 'event_type', w.event_type, 'state', w.state,
                                      'sequence', w.sequence, 'attempts', jsonb_array_length(w.attempts)) AS data
              FROM live l
             CROSS JOIN LATERAL (SELECT * FROM webhook_delivery x WHERE x.tenant_id = :tenant AND x.id = l.thing OFFSET 0) w
             WHERE l.topic = 'deliveries' AND :deliveries
            """;

    private static final String HANDSHAKES = """
            SELECT l.ordinal, l.xid, l.at, l.topic,
                   jsonb_build_object('id', h.id, 'key_id', h.key_id, 'client', h.client_name, 'version', h.client_version,
                                      'era', h.era, 'status', h.status, 'problem', h.flaw) AS data
              FROM live l
             CROSS JOIN LATERAL (SELECT * FROM handshake x WHERE x.tenant_id = :tenant AND x.id = l.thing OFFSET 0) h
             WHERE l.topic = 'handshakes' AND :handshakes
               AND (h.holder = :holder OR (:keys AND (:admin OR h.user_id = :user)))
            """;

    private static final String DOCUMENTS = """
            SELECT l.ordinal, l.xid, l.at, l.topic,
                   jsonb_build_object('id', l.thing, 'change', l.action, 'name', d.name, 'version', d.version) AS data
              FROM live l
              LEFT JOIN LATERAL (SELECT * FROM document x WHERE x.tenant_id = :tenant AND x.id = l.thing OFFSET 0) d ON true
             WHERE l.topic = 'documents' AND :documents
            """;

    /** Entries as AC_Audit lists them, without the texts of rules: events are short. */
    private static final String AUDIT =
            SqlTemplate.of("""
            SELECT l.ordinal, l.xid, l.at, l.topic, {record} - ARRAY['before', 'after'] AS data
              FROM live l
             CROSS JOIN LATERAL (SELECT * FROM audit x WHERE x.tenant_id = :tenant AND x.at = l.moment AND x.row_id = l.thing OFFSET 0) a
             WHERE l.topic = 'audit' AND :audit
            """).with("record", AuditQueries.RECORD).sql();

    private static final String READ = SqlTemplate.of("""
            {subject}
            , live AS MATERIALIZED (
                SELECT l.*
                  FROM change_log l
                 WHERE l.tenant_id = :tenant AND l.topic = ANY (CAST(:topics AS text[])) AND l.xid >= CAST(CAST(:since AS text) AS xid8)
                   AND l.xid < pg_snapshot_xmax(pg_current_snapshot()) -- Excludes restored rows of another server.
                 ORDER BY l.xid, l.ordinal
                 LIMIT :most),
            topic_news AS MATERIALIZED ({topics})
            SELECT f.epoch, pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
                   (SELECT count(*) FROM live) AS listed,
                   (SELECT jsonb_agg(jsonb_build_object(
                               'ordinal', t.ordinal, 'xid', t.xid::text::bigint, 'topic', t.topic,
                               'data', jsonb_strip_nulls(t.data) || jsonb_build_object('at',
                                   to_char(t.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
                           ORDER BY t.ordinal)
                      FROM topic_news t) AS events
              FROM event_feed f
             WHERE f.tenant_id = :tenant
            """)
            .with("subject", BankPermissionRow.SUBJECT)
            .with(
                    "topics",
                    String.join(" UNION ALL ", MESSAGES, MEMORIES, PRESENCE, DELIVERIES, HANDSHAKES, DOCUMENTS, AUDIT))
            .sql();

    private final Db db;
    private final Clock clock;

    public LiveQueries(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /**
     * The result of a read.
     *
     * @param epoch that of the data
     * @param horizon where the next read begins; some of its rows may have been read before
     * @param tooMany whether there was more than can be listed
     */
    record Batch(long epoch, long horizon, boolean tooMany, List<LiveEvent> events) {}

    /** Returns what this audience may see of the rows since a transaction. */
    Batch read(LiveView audience, long since) {
        var caller = audience.caller();
        return ScopedValue.where(RequestContext.CURRENT_CALLER, caller).call(() -> {
            var statement = db.sql(READ)
                    .set("tenant", caller.tenant())
                    .set("user", caller.user())
                    .set("self", caller.boundAgent())
                    .set("bound", caller.boundAgent())
                    .set("admin", caller.isAdmin())
                    .set("now", clock.instant())
                    .set("zones", audience.zones())
                    .set("direct", audience.direct())
                    .set("holder", audience.holder())
                    .set("keys", audience.keys())
                    .set("topics", audience.topics().stream().map(Topic::word).toList())
                    .set("since", Long.toString(since))
                    .set("most", MOST);
            for (var topic : Topic.values()) {
                statement.set(topic.word(), audience.topics().contains(topic));
            }
            return statement.one(LiveQueries::batch).orElseThrow();
        });
    }

    private static Batch batch(Row row) throws SQLException {
        var events = row.jsonList("events", LiveEvent.class);
        return new Batch(
                row.number("epoch"), Long.parseLong(row.text("horizon")), row.number("listed") >= MOST, events);
    }

    /** A position in the log: the oldest running transaction, and the epoch of the data. */
    record Position(long epoch, long horizon) {}

    /** Returns the position for a stream that reports only new changes of a tenant. */
    Position now(long tenant) {
        return db.sql("""
                SELECT epoch, pg_snapshot_xmin(pg_current_snapshot())::text AS horizon FROM event_feed WHERE tenant_id = :tenant
                """)
                .set("tenant", tenant)
                .one(row -> new Position(row.number("epoch"), Long.parseLong(row.text("horizon"))))
                .orElseThrow();
    }

    /** Deletes rows that no stream can resume from any longer. */
    public void purge(Instant now) {
        new ChangeStore(db).purge(now.minus(KEPT));
    }
}
