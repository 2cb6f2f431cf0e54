package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.context.Unread;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import io.agentworkspace.engine.workspace.messages.MessagePages;
import io.agentworkspace.engine.workspace.messages.StoredMessage;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what waits for a speaker, and finds the waiting calls for which that may have changed. */
final class WaitQueries {
    private static final String SUBJECT = """
            WITH subject AS MATERIALIZED (SELECT COALESCE(:self, :user) AS id)
            """;

    /** What of the narrowing exists and may be seen, and whether the speaker hears what is said there. */
    private static final String PLACE = SUBJECT
            + SqlTemplate.of("""
            SELECT CAST(:agent AS text) IS NULL
                   OR EXISTS (SELECT 1 FROM agent a
                               WHERE a.tenant_id = :tenant AND a.name_key = :agent AND {visible_agent}) AS agent_found,
                   CAST(:reply AS uuid) IS NULL
                   OR EXISTS (SELECT 1 FROM message m
                                JOIN participant p ON p.tenant_id = :tenant AND p.conversation_id = m.conversation_id
                                                  AND p.party_id = subject.id
                               WHERE m.tenant_id = :tenant AND m.id = :reply) AS reply_found,
                   d.name AS domain, COALESCE({takes_part}, false) AS takes_part,
                   ARRAY(SELECT z.name FROM zone z WHERE z.tenant_id = :tenant AND z.domain_id = d.id LIMIT 500) AS zones,
                   EXISTS (SELECT 1 FROM zone z WHERE z.tenant_id = :tenant AND z.domain_id = d.id
                              AND (CAST(:zone AS text) IS NULL OR z.name_key = :zone)) AS zone_found,
                   EXISTS (SELECT 1 FROM zone z
                             JOIN participant p ON p.tenant_id = :tenant AND p.conversation_id = z.conversation_id
                                               AND p.party_id = subject.id
                            WHERE z.tenant_id = :tenant AND z.domain_id = d.id
                              AND (CAST(:zone AS text) IS NULL OR z.name_key = :zone)) AS is_listener
              FROM subject
              LEFT JOIN domain d ON d.tenant_id = :tenant AND d.name_key = CAST(:domain AS text) AND {visible_domain}
            """)
                    .with("visible_agent", Visibility.agent("a"))
                    .with("takes_part", ZoneEntry.takesPart("d"))
                    .with("visible_domain", Visibility.domain("d"))
                    .sql();

    /**
     * The conversations of the speaker in which messages wait that are waited for. OFFSET makes PostgreSQL look them up by the
     * speaker; otherwise a plan that was made while the tables were empty may read those of the whole tenant.
     */
    private static final String STREAMS = SqlTemplate.of("""
            , streams AS (
                SELECT p.tenant_id, p.conversation_id, p.party_id, p.read_seq, p.last_seq
                  FROM subject
                 CROSS JOIN LATERAL (SELECT p.tenant_id, p.conversation_id, p.party_id, p.read_seq, p.own_unread, p.last_seq
                                       FROM participant p
                                      WHERE p.tenant_id = :tenant AND p.party_id = subject.id AND {may_wait}
                                     OFFSET 0) p
                 WHERE {last} > p.read_seq + p.own_unread
                   AND (CAST(:agent AS text) IS NULL
                        OR (SELECT CASE WHEN st.low_id = p.party_id THEN st.high_id ELSE st.low_id END
                              FROM conversation st
                             WHERE st.tenant_id = :tenant AND st.id = p.conversation_id)
                           = (SELECT a.id FROM agent a
                               WHERE a.tenant_id = :tenant AND a.name_key = :agent AND a.destroyed_at IS NULL))
                   AND (CAST(:domain AS text) IS NULL
                        OR EXISTS (SELECT 1 FROM zone z
                                     JOIN domain d ON d.tenant_id = :tenant AND d.id = z.domain_id
                                    WHERE z.tenant_id = :tenant AND z.conversation_id = p.conversation_id
                                      AND d.name_key = :domain
                                      AND (CAST(:zone AS text) IS NULL OR z.name_key = :zone))))
            """)
            .with("may_wait", Unread.MAY_WAIT)
            .with("last", Unread.LAST)
            .sql();

    /** The oldest unread messages. With :reply, those between that are not answers are counted. */
    private static final String WAITING = SUBJECT
            + STREAMS
            + SqlTemplate.of("""
            , waiting AS (
                SELECT m.*,
                       CASE WHEN CAST(:reply AS uuid) IS NULL THEN 0
                            ELSE (SELECT count(*) FROM message other
                                   WHERE other.tenant_id = :tenant AND other.conversation_id = m.conversation_id
                                     AND other.seq > streams.read_seq AND other.seq < m.seq
                                     AND {other_waits} AND other.read_at IS NULL
                                     AND other.answers IS DISTINCT FROM CAST(:reply AS uuid)) END AS skipped
                  FROM streams
                  CROSS JOIN LATERAL (SELECT * FROM message x
                                       WHERE x.tenant_id = :tenant AND x.conversation_id = streams.conversation_id
                                         AND x.seq > streams.read_seq AND {waits}
                                         AND (CAST(:reply AS uuid) IS NULL OR x.answers = :reply)
                                       ORDER BY x.seq
                                       LIMIT :limit) m),
            latest AS (SELECT * FROM waiting ORDER BY created_at, conversation_id, seq LIMIT :limit)
            {messages}
            """)
                    .with("other_waits", Unread.waits("other", "streams"))
                    .with("waits", Unread.waits("x", "streams"))
                    .with("messages", MessagePages.columns("m.skipped, ", "created_at, conversation_id, seq"))
                    .sql();

    /**
     * What has been said in the place of a message since, by others: up to the last message that answers it, newest first;
     * if nothing answers it, all of it, oldest first.
     */
    private static final String SINCE = SUBJECT
            + SqlTemplate.of("""
            , own AS MATERIALIZED (
                SELECT m.conversation_id, m.seq, subject.id AS party_id,
                       (SELECT max(answer.seq) FROM message answer
                         WHERE answer.tenant_id = :tenant AND answer.answers = m.id AND answer.conversation_id = m.conversation_id
                           AND answer.speaker_id <> subject.id) AS answer_seq
                  FROM subject
                  JOIN message m ON m.tenant_id = :tenant AND m.id = :own
                  JOIN participant p ON p.tenant_id = :tenant AND p.party_id = subject.id AND p.conversation_id = m.conversation_id),
            latest AS (
                (SELECT m.*, 0 AS skipped, m.seq AS place
                   FROM own JOIN message m ON m.tenant_id = :tenant AND m.conversation_id = own.conversation_id AND m.seq > own.seq
                                          AND m.speaker_id <> own.party_id AND m.changes IS NULL
                  WHERE own.answer_seq IS NULL
                  ORDER BY m.seq
                  LIMIT :limit)
                UNION ALL
                (SELECT m.*, 0 AS skipped, -m.seq AS place
                   FROM own JOIN message m ON m.tenant_id = :tenant AND m.conversation_id = own.conversation_id AND m.seq > own.seq
                                          AND m.speaker_id <> own.party_id AND m.changes IS NULL
                  WHERE m.seq <= own.answer_seq
                  ORDER BY m.seq DESC
                  LIMIT :limit))
            {messages}
            """)
                    .with("messages", MessagePages.columns("m.skipped, ", "place"))
                    .sql();

    private static final String WAITING_AT = String.join(";\n", PLACE, WAITING);

    /** For each waiting call, what changes when a message arrives, its party leaves the domain, or its question is withdrawn. */
    private static final String STATES = SqlTemplate.of("""
            SELECT concat((SELECT sum(hashint8extended(p.conversation_id, {last}))
                             FROM participant p
                            WHERE p.tenant_id = :tenant AND p.party_id = w.party_id AND {may_wait}
                              AND {last} > p.read_seq + p.own_unread),
                          CASE WHEN w.domain IS NOT NULL
                               THEN '/' || (SELECT count(*)
                                              FROM domain d
                                              JOIN zone z ON z.tenant_id = :tenant AND z.domain_id = d.id
                                              JOIN participant p ON p.tenant_id = :tenant
                                                                AND p.conversation_id = z.conversation_id AND p.party_id = w.party_id
                                             WHERE d.tenant_id = :tenant AND d.name_key = w.domain) END,
                          (SELECT '/withdrawn' FROM question q
                            WHERE q.tenant_id = :tenant AND q.withdrawn_at IS NOT NULL
                              AND q.id IN (w.question, (SELECT m.answers FROM message m WHERE m.tenant_id = :tenant AND m.id = w.question)))) AS state
              FROM unnest(CAST(:parties AS bigint[]), CAST(:domains AS text[]), CAST(:questions AS uuid[]))
                   WITH ORDINALITY w (party_id, domain, question, n)
             ORDER BY w.n
            """)
            .with("may_wait", Unread.MAY_WAIT)
            .with("last", Unread.LAST)
            .sql();

    private static final String WITHDRAWN = """
            SELECT q.id
              FROM question q
             WHERE q.tenant_id = :tenant AND q.withdrawn_at IS NOT NULL
               AND q.id IN (:question, (SELECT m.answers FROM message m WHERE m.tenant_id = :tenant AND m.id = :question))
            """;

    private final Db db;

    public WaitQueries(Db db) {
        this.db = db;
    }

    /**
     * What of a narrowing there is.
     *
     * @param isHearer whether the speaker takes part in the zones, so that what is said there waits for it
     */
    record Place(
            boolean agentFound,
            boolean replyFound,
            @Nullable String domain,
            boolean takesPart,
            boolean zoneFound,
            List<String> zones,
            boolean isHearer) {
        private static final Place ANYWHERE = new Place(true, true, null, true, true, List.of(), true);

        static Place read(Row row) throws SQLException {
            return new Place(
                    row.flag("agent_found"),
                    row.flag("reply_found"),
                    row.textOrNull("domain"),
                    row.flag("takes_part"),
                    row.flag("zone_found"),
                    row.texts("zones"),
                    row.flag("is_listener"));
        }
    }

    /** A waiting message, and how many unread ones before it in its conversation are not waited for. */
    record Waiting(StoredMessage message, long skipped) {
        static Waiting read(Row row) throws SQLException {
            return new Waiting(row.as(StoredMessage.class), row.number("skipped"));
        }
    }

    record Found(Place place, List<Waiting> messages) {}

    /** Reads the oldest messages that wait for the speaker. */
    Found waiting(Call call, Narrowing narrowing, int limit) {
        var isAnywhere = narrowing.agent() == null && narrowing.domain() == null && narrowing.replyTo() == null;
        return db.sql(call, isAnywhere ? WAITING : WAITING_AT)
                .set("agent", narrowing.agentKey())
                .set("domain", narrowing.domainKey())
                .set("zone", narrowing.zoneKey())
                .set("reply", narrowing.replyTo())
                .set("limit", limit)
                .all(results -> {
                    var place = isAnywhere
                            ? Place.ANYWHERE
                            : results.next(Place::read).orElseThrow();
                    return new Found(place, results.list(Waiting::read));
                });
    }

    /**
     * Reads what others have said where the speaker's message is, after it: newest first from the last
     * message that answers it; oldest first if nothing does.
     */
    List<Waiting> since(Call call, UUID own, int limit) {
        return db.sql(call, SINCE).set("own", own).set("limit", limit).all(results -> results.list(Waiting::read));
    }

    /** Returns whether this is a question that was taken back, or a message that continues it, so that no answer comes. */
    boolean isWithdrawn(Call call, UUID question) {
        return db.sql(call, WITHDRAWN).set("question", question).one(_ -> true).orElse(false);
    }

    /** Returns for each of the calls what changes when its look may find something else. */
    List<String> states(long tenant, List<WaitingCall> calls) {
        return db.sql(STATES)
                .set("tenant", tenant)
                .set("parties", calls.stream().map(WaitingCall::party).toList())
                .set(
                        "domains",
                        calls.stream().map(call -> call.narrowing().domainKey()).toList())
                .set(
                        "questions",
                        calls.stream().map(call -> call.narrowing().question()).toList())
                .list(row -> row.text("state"));
    }
}
