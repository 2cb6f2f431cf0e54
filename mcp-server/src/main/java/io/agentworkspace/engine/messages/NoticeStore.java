package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.model.change.Change;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Stores messages that the engine writes for a party: what it has just done, in one line. They answer nothing, and the loop
 * guard does not count them. In a zone they wake nobody.
 */
public final class NoticeStore {
    private static final String IN_ZONE = """
            WITH place AS (UPDATE stream st
                              SET last_seq = last_seq + 1, last_at = greatest(last_at, :at)
                             FROM zone z
                            WHERE z.tenant_id = :tenant AND z.domain_id = :domain AND z.name_key = 'main'
                              AND st.tenant_id = z.tenant_id AND st.id = z.stream_id
                        RETURNING st.id, st.last_seq, st.last_at),
                 m AS (INSERT INTO message (tenant_id, stream_id, seq, id, speaker_id, content, chain, created_at, notice)
                       SELECT :tenant, place.id, place.last_seq, :id, :speaker, :content, '{}', place.last_at, true FROM place
                       RETURNING stream_id, seq, id),
                 spoke AS (UPDATE participant p
                              SET own_unread = own_unread + 1
                             FROM place
                            WHERE p.tenant_id = :tenant AND p.party_id = :speaker AND p.stream_id = place.id)
            SELECT stream_id, seq, id FROM m
            """;

    private static final String DIRECT = """
            WITH place AS (INSERT INTO stream AS st (tenant_id, low_id, high_id, last_seq, last_at)
                           SELECT :tenant, least(CAST(:speaker AS bigint), CAST(:other AS bigint)),
                                  greatest(CAST(:speaker AS bigint), CAST(:other AS bigint)), 1, :at
                            WHERE CAST(:speaker AS bigint) <> CAST(:other AS bigint)
                           ON CONFLICT (tenant_id, low_id, high_id) DO UPDATE
                              SET last_seq = st.last_seq + 1, last_at = greatest(st.last_at, excluded.last_at)
                           RETURNING id, last_seq, last_at),
                 m AS (INSERT INTO message (tenant_id, stream_id, seq, id, speaker_id, content, chain, created_at, notice)
                       SELECT :tenant, place.id, place.last_seq, :id, :speaker, :content, '{}', place.last_at, true FROM place
                       RETURNING stream_id, seq, id),
                 parties AS (SELECT p.id, COALESCE(a.owner_id, p.id) AS owner_id, place.id AS stream_id, place.last_seq
                               FROM place
                              CROSS JOIN (VALUES (CAST(:speaker AS bigint)), (CAST(:other AS bigint))) p (id)
                               LEFT JOIN agent a ON a.tenant_id = :tenant AND a.id = p.id),
                 speaks AS (INSERT INTO participant (tenant_id, party_id, stream_id, owner_id, read_seq, last_seq)
                            SELECT :tenant, id, stream_id, owner_id, last_seq, last_seq FROM parties WHERE id = :speaker
                            ON CONFLICT (tenant_id, party_id, stream_id) DO NOTHING),
                 listener AS (INSERT INTO participant (tenant_id, party_id, stream_id, owner_id, read_seq, last_seq)
                           SELECT :tenant, id, stream_id, owner_id, last_seq - 1, last_seq FROM parties WHERE id = :other
                           ON CONFLICT (tenant_id, party_id, stream_id) DO UPDATE
                              SET own_unread = participant.own_unread + excluded.last_seq - 1 - participant.last_seq,
                                  last_seq = excluded.last_seq)
            SELECT stream_id, seq, id FROM m
            """;

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
                .one(NoticeStore::change);
    }

    /** Stores a notice to one party; nothing if that is the speaker itself. */
    public Optional<Change> direct(long tenant, long speaker, long other, String content, Instant at) {
        return db.sql(DIRECT)
                .set("tenant", tenant)
                .set("speaker", speaker)
                .set("other", other)
                .set("id", DecimalId.random())
                .set("content", content)
                .set("at", at)
                .one(NoticeStore::change);
    }

    private static Change change(Row row) throws SQLException {
        return Change.message(
                UUID.fromString(Objects.requireNonNull(row.text("id"))), row.number("stream_id"), row.number("seq"));
    }
}
