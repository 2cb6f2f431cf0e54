package io.agentworkspace.engine.documents.queue;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.documents.DocumentRow;
import io.agentworkspace.engine.documents.extract.Extracted;
import io.agentworkspace.engine.events.EventLog;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentType;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The queue as its workers see it, of all tenants. Whoever validates a document holds a lease on it, by the database's clock; one
 * whose lease has run out waits again, and only the newest claim may write what came of it.
 */
public final class QueueStore {
    /** The row is looked at again once it is locked: somebody else may have taken it meanwhile. */
    private static final String CLAIM = """
            WITH waiting AS (%s),
                 next AS (
                SELECT d.tenant_id, d.id
                  FROM document d JOIN waiting w ON w.tenant_id = d.tenant_id AND w.id = d.id
                 WHERE d.state = 'queued' OR (d.state = 'validating' AND d.lease_until < now())
                 ORDER BY w.position
                 LIMIT 1
                   FOR UPDATE OF d SKIP LOCKED)
            UPDATE document d
               SET state = 'validating', claim = :claim, lease_until = now() + CAST(:lease AS interval), begun_at = now(),
                   attempts = d.attempts + 1
              FROM next, app_user u
             WHERE d.tenant_id = next.tenant_id AND d.id = next.id AND u.tenant_id = d.tenant_id AND u.id = d.owner_id
            RETURNING d.tenant_id, d.id, d.name, d.version, d.declared_type, d.size, d.sha256, d.attempts,
                   u.name AS submitter, u.role AS submitter_role
            """.formatted(DocumentRow.WAITING);

    private static final String HELD = """
             WHERE tenant_id = :tenant AND id = :id AND state = 'validating' AND claim = :claim
            """;

    private static final String RENEW = "UPDATE document SET lease_until = now() + CAST(:lease AS interval)" + HELD;

    private static final String RELEASE =
            "UPDATE document SET state = 'queued', claim = NULL, lease_until = NULL, attempts = attempts - 1" + HELD;

    private static final String PUT_BACK =
            "UPDATE document SET state = 'queued', claim = NULL, lease_until = NULL" + HELD;

    private static final String FINISH = """
            UPDATE document
               SET state = :state, media_type = :type, reasons = CAST(:reasons AS json), characters = :characters,
                   validated_at = :now, claim = NULL, lease_until = NULL,
                   took_ms = extract(epoch FROM clock_timestamp() - begun_at) * 1000
            """ + HELD;

    /** A version that is the newest accepted one of its name has the content already. */
    private static final String FIND_TWIN = """
            SELECT t.name, t.version
              FROM document t
             WHERE t.tenant_id = :tenant AND t.sha256 = :sha256 AND t.id <> :id AND t.state = 'accepted'
               AND NOT EXISTS (SELECT 1 FROM document n
                                WHERE n.tenant_id = t.tenant_id AND n.name_key = t.name_key AND n.state = 'accepted'
                                  AND n.version > t.version)
             ORDER BY t.version
             LIMIT 1
            """;

    private final Db db;
    private final EventLog events;

    public QueueStore(Db db, EventLog events) {
        this.db = db;
        this.events = events;
    }

    /**
     * A document that a worker has taken.
     *
     * @param submitter the user's name
     * @param role that the user has now, as a word
     * @param attempts with this one
     */
    public record Claim(
            long tenant,
            UUID id,
            UUID claim,
            String name,
            long version,
            @Nullable String declaredType,
            long size,
            String sha256,
            String submitter,
            String role,
            int attempts) {}

    Optional<Claim> claim(Duration lease) {
        var claim = UUID.randomUUID();
        return db.sql(CLAIM)
                .set("claim", claim)
                .set("lease", seconds(lease))
                .one(row -> new Claim(
                        row.number("tenant_id"),
                        UUID.fromString(row.text("id")),
                        claim,
                        row.text("name"),
                        row.number("version"),
                        row.textOrNull("declared_type"),
                        row.number("size"),
                        row.text("sha256"),
                        row.text("submitter"),
                        row.text("submitter_role"),
                        (int) row.number("attempts")));
    }

    private static String seconds(Duration time) {
        return time.toSeconds() + " seconds";
    }

    /** Whether the claim is still good; then its lease is as long again. */
    boolean renew(Claim claim, Duration lease) {
        return db.sql(RENEW)
                        .set("tenant", claim.tenant())
                        .set("id", claim.id())
                        .set("claim", claim.claim())
                        .set("lease", seconds(lease))
                        .run()
                == 1;
    }

    /** Gives it back: the attempt was not the document's fault. */
    void release(Claim claim) {
        db.sql(RELEASE)
                .set("tenant", claim.tenant())
                .set("id", claim.id())
                .set("claim", claim.claim())
                .run();
    }

    /** Gives it back after an attempt that failed. */
    void putBack(Claim claim) {
        db.sql(PUT_BACK)
                .set("tenant", claim.tenant())
                .set("id", claim.id())
                .set("claim", claim.claim())
                .run();
    }

    /** The document that has this content already, as a reader is told. */
    Optional<String> twin(Claim claim) {
        return db.sql(FIND_TWIN)
                .set("tenant", claim.tenant())
                .set("id", claim.id())
                .set("sha256", claim.sha256())
                .one(row -> "version %d of '%s'".formatted(row.number("version"), row.text("name")));
    }

    /**
     * Writes what came of it, with its event, if the claim is still good: once, whoever else validated it too.
     *
     * @param type null for one that is not accepted
     * @param parts empty for a rejected one
     * @return whether it was written
     */
    boolean finish(
            Claim claim,
            boolean accepted,
            @Nullable DocumentType type,
            List<DocumentReason> reasons,
            List<Extracted.Part> parts,
            Instant now) {
        var done = db.transaction(() -> {
            if (accepted && !isFirst(claim)) {
                return false;
            }
            var changed = db.sql(FINISH)
                    .set("tenant", claim.tenant())
                    .set("id", claim.id())
                    .set("claim", claim.claim())
                    .set("state", accepted ? "accepted" : "rejected")
                    .set("type", type == null ? null : type.mediaType())
                    .set("reasons", Json.text(reasons))
                    .set(
                            "characters",
                            accepted
                                    ? (Long) parts.stream()
                                            .mapToLong(Extracted.Part::characters)
                                            .sum()
                                    : null)
                    .set("now", now)
                    .run();
            if (changed == 1) {
                write(claim, parts);
                var data = new EventData.DocumentValidated(claim.name(), claim.version(), reasons);
                var kind = accepted ? EventType.DOCUMENT_ACCEPTED : EventType.DOCUMENT_REJECTED;
                db.sql(EventLog.INSERT)
                        .set("events", EventLog.rows(claim.tenant(), List.of(Event.of(kind, now, data))))
                        .run();
            }
            return changed == 1;
        });
        if (done) {
            events.committed();
        }
        return done;
    }

    /** Two with the same content that are accepted at once wait for each other here. */
    private boolean isFirst(Claim claim) {
        db.sql("SELECT pg_advisory_xact_lock(hashtextextended('document content ' || :sha256, :tenant))")
                .set("sha256", claim.sha256())
                .set("tenant", claim.tenant())
                .one(_ -> true);
        return twin(claim).isEmpty();
    }

    private void write(Claim claim, List<Extracted.Part> parts) {
        db.sql("DELETE FROM document_part WHERE tenant_id = :tenant AND document_id = :id")
                .set("tenant", claim.tenant())
                .set("id", claim.id())
                .run();
        var numbers = new ArrayList<Long>();
        for (long i = 0; i < parts.size(); i++) {
            numbers.add(i);
        }
        if (!parts.isEmpty()) {
            db.sql("""
                    INSERT INTO document_part (tenant_id, document_id, n, characters, blocks)
                    SELECT :tenant, :id, p.n, p.characters, p.blocks
                      FROM unnest(CAST(:numbers AS bigint[]), CAST(:characters AS bigint[]), CAST(:blocks AS text[])) p (n, characters, blocks)
                    """)
                    .set("tenant", claim.tenant())
                    .set("id", claim.id())
                    .set("numbers", numbers)
                    .set(
                            "characters",
                            parts.stream().map(Extracted.Part::characters).toList())
                    .set("blocks", parts.stream().map(Extracted.Part::blocks).toList())
                    .run();
        }
    }

    /** Clears away documents that were rejected before then. */
    public void purge(Instant until) {
        db.deleteOld("document", "state = 'rejected' AND validated_at < :until", until);
    }
}
