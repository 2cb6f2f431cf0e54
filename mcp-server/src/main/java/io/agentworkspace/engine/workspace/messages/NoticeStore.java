package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.change.Change;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Stores messages that the engine writes for a party: what it has just done, in one line. They answer nothing, and the loop
 * guard does not count them. Announcements, which all those in zones are, do not count as unread; what is announced in one
 * place within ten seconds is one line.
 */
public final class NoticeStore {
    /** So many changes are named in one line. */
    private static final int NAMED = 5;

    /** Locks the zone's conversation, so that the next statement sees the last announcement there. */
    private static final String LOCK_MAIN = """
            SELECT count(*) FROM (SELECT st.id
              FROM zone z JOIN conversation st ON st.tenant_id = :tenant AND st.id = z.conversation_id
             WHERE z.tenant_id = :tenant AND z.domain_id = :domain AND z.name_key = 'main'
               FOR NO KEY UPDATE OF st) locked;
            """;

    private static final String LOCK_DIRECT = """
            SELECT count(*) FROM (SELECT st.id
              FROM conversation st
             WHERE st.tenant_id = :tenant AND st.low_id = least(CAST(:speaker AS bigint), CAST(:other AS bigint))
               AND st.high_id = greatest(CAST(:speaker AS bigint), CAST(:other AS bigint))
               FOR NO KEY UPDATE) locked;
            """;

    /** Adds to the last announcement of the conversation {@code st}, if it is recent and {@code {unread}}. */
    private static String merged(String place, String unread) {
        return SqlTemplate.of("""
            merged AS (
                UPDATE message m
                   SET changes = m.changes + 1,
                       content = CASE WHEN m.changes < {named}
                                      THEN m.content || '; '
                                           || CASE WHEN m.speaker_id <> :speaker
                                                   THEN (SELECT p.name || ': ' FROM party p WHERE p.tenant_id = :tenant AND p.id = :speaker)
                                                   ELSE '' END || :content
                                      ELSE regexp_replace(m.content, ' and \\d+ more$', '') || ' and ' || (m.changes + 1 - {named}) || ' more' END
                  FROM {place}
                 WHERE m.tenant_id = :tenant AND m.conversation_id = st.id AND m.seq = st.announced AND m.changes IS NOT NULL
                   AND m.created_at > CAST(:at AS timestamptz) - INTERVAL '10 seconds' {unread}
             RETURNING m.conversation_id, m.seq, m.id)
            """)
                .with("named", NAMED)
                .with("place", place)
                .with("unread", unread)
                .sql();
    }

    private static final String IN_ZONE =
            LOCK_MAIN + SqlTemplate.of("""
            WITH {merged},
                 place AS (UPDATE conversation st
                              SET last_seq = last_seq + 1, announced = last_seq + 1, last_at = greatest(last_at, :at)
                             FROM zone z
                            WHERE z.tenant_id = :tenant AND z.domain_id = :domain AND z.name_key = 'main'
                              AND st.tenant_id = :tenant AND st.id = z.conversation_id AND NOT EXISTS (SELECT 1 FROM merged)
                        RETURNING st.id, st.last_seq, st.last_at),
                 m AS (INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, chain, created_at, notice, changes)
                       SELECT home.tenant_id, place.id, place.last_seq, :id, :speaker, :content, '{}', place.last_at, true, 1
                         FROM tenant_plan home CROSS JOIN place
                        WHERE home.tenant_id = :tenant
                       RETURNING conversation_id, seq, id),
                 silent AS (UPDATE participant p
                              SET own_unread = own_unread + 1
                             FROM place
                            WHERE p.tenant_id = :tenant AND p.conversation_id = place.id)
            SELECT conversation_id, seq, id FROM m UNION ALL SELECT conversation_id, seq, id FROM merged
            """).with("merged", merged("""
                            zone z JOIN conversation st ON st.tenant_id = :tenant AND st.id = z.conversation_id
                                                 AND z.tenant_id = :tenant AND z.domain_id = :domain AND z.name_key = 'main'""", "")).sql();

    private static final String DIRECT = LOCK_DIRECT
            + SqlTemplate.of("""
            WITH ids AS MATERIALIZED (SELECT nextval('entity_id') AS conversation),
                 {merged},
                 place AS (INSERT INTO conversation AS st (tenant_id, id, low_id, high_id, last_seq, announced, last_at)
                           SELECT home.tenant_id, ids.conversation, least(CAST(:speaker AS bigint), CAST(:other AS bigint)),
                                  greatest(CAST(:speaker AS bigint), CAST(:other AS bigint)), 1, CASE WHEN :announces THEN 1 END, :at
                             FROM tenant_plan home CROSS JOIN ids
                            WHERE home.tenant_id = :tenant AND CAST(:speaker AS bigint) <> CAST(:other AS bigint) AND NOT EXISTS (SELECT 1 FROM merged)
                           ON CONFLICT (tenant_id, low_id, high_id) DO UPDATE
                              SET last_seq = st.last_seq + 1,
                                  announced = CASE WHEN :announces THEN st.last_seq + 1 ELSE st.announced END, last_at = greatest(st.last_at, excluded.last_at)
                           RETURNING id, last_seq, last_at),
                 m AS (INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, chain, created_at, notice, changes)
                       SELECT home.tenant_id, place.id, place.last_seq, :id, :speaker, :content, '{}', place.last_at, true,
                              CASE WHEN :announces THEN 1 END
                         FROM tenant_plan home CROSS JOIN place
                        WHERE home.tenant_id = :tenant
                       RETURNING conversation_id, seq, id),
                 parties AS (SELECT p.id, COALESCE(a.owner_id, p.id) AS owner_id, place.id AS conversation_id, place.last_seq
                               FROM place
                              CROSS JOIN (VALUES (CAST(:speaker AS bigint)), (CAST(:other AS bigint))) p (id)
                               LEFT JOIN agent a ON a.tenant_id = :tenant AND a.id = p.id),
                 speaks AS (INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq, last_seq)
                            SELECT home.tenant_id, p.id, p.conversation_id, p.owner_id, p.last_seq, p.last_seq
                              FROM tenant_plan home CROSS JOIN parties p
                             WHERE home.tenant_id = :tenant AND p.id = :speaker
                            ON CONFLICT (tenant_id, party_id, conversation_id) DO NOTHING),
                 listener AS (INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq, last_seq, announced)
                           SELECT home.tenant_id, p.id, p.conversation_id, p.owner_id, p.last_seq - 1, p.last_seq,
                                  CASE WHEN :announces THEN 1 ELSE 0 END
                             FROM tenant_plan home CROSS JOIN parties p
                            WHERE home.tenant_id = :tenant AND p.id = :other
                           ON CONFLICT (tenant_id, party_id, conversation_id) DO UPDATE
                              SET announced = participant.announced + excluded.announced,
                                  own_unread = participant.own_unread + excluded.last_seq - 1 - participant.last_seq,
                                  last_seq = excluded.last_seq)
            SELECT conversation_id, seq, id FROM m UNION ALL SELECT conversation_id, seq, id FROM merged
            """).with("merged", merged("conversation st", """

                   AND :announces AND st.tenant_id = :tenant
                   AND st.low_id = least(CAST(:speaker AS bigint), CAST(:other AS bigint))
                   AND st.high_id = greatest(CAST(:speaker AS bigint), CAST(:other AS bigint)) AND m.speaker_id = :speaker
                   AND EXISTS (SELECT 1 FROM participant p
                                WHERE p.tenant_id = :tenant AND p.party_id = :other AND p.conversation_id = st.id AND p.read_seq < m.seq)""")).sql();

    private final Db db;

    public NoticeStore(Db db) {
        this.db = db;
    }

    /** Stores a notice in the zone {@code main} of a domain. */
    public Optional<Change> inMain(long tenant, long domain, long speaker, String content, Instant at) {
        return db.sql(IN_ZONE)
                .set("tenant", tenant)
                .set("domain", domain)
                .set("speaker", speaker)
                .set("id", DecimalId.random())
                .set("content", content)
                .set("at", at)
                .last(NoticeStore::change);
    }

    /** Stores a notice to one party, which counts as unread; nothing if that is the speaker itself. */
    public Optional<Change> direct(long tenant, long speaker, long other, String content, Instant at) {
        return direct(tenant, speaker, other, content, at, false);
    }

    /** Announces something to one party, for which it waits; nothing if that is the speaker itself. */
    public Optional<Change> announce(long tenant, long speaker, long other, String content, Instant at) {
        return direct(tenant, speaker, other, content, at, true);
    }

    private Optional<Change> direct(
            long tenant, long speaker, long other, String content, Instant at, boolean announces) {
        return db.sql(DIRECT)
                .set("announces", announces)
                .set("tenant", tenant)
                .set("speaker", speaker)
                .set("other", other)
                .set("id", DecimalId.random())
                .set("content", content)
                .set("at", at)
                .last(NoticeStore::change);
    }

    private static Change change(Row row) throws SQLException {
        return Change.message(
                UUID.fromString(Objects.requireNonNull(row.text("id"))),
                row.number("conversation_id"),
                row.number("seq"));
    }
}
