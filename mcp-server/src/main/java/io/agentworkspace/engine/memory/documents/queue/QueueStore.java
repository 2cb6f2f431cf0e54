package io.agentworkspace.engine.memory.documents.queue;

import io.agentworkspace.engine.identity.audit.AuditEntry;
import io.agentworkspace.engine.identity.audit.AuditEvent;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.memory.documents.DocumentRow;
import io.agentworkspace.engine.memory.documents.extract.process.Extracted;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentType;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The queue of all tenants as its workers see it. A worker holds a lease on a document, by the database's clock. If the
 * lease expires, the document waits again. Only the newest claim may write the result.
 */
final class QueueStore {
    private static final String TENANTS = SqlTemplate.of("SELECT t.tenant_id FROM ({tenants}) t ORDER BY t.place")
            .with("tenants", DocumentRow.TENANTS)
            .sql();

    /** The locked row is checked again, since another worker may have claimed it in the meantime. */
    private static final String CLAIM =
            SqlTemplate.of("""
            WITH next AS (
                SELECT q.id
                  FROM document q
                 WHERE q.tenant_id = :tenant AND {waits}
                 ORDER BY q.queued_at, q.id
                 LIMIT 1
                   FOR UPDATE SKIP LOCKED),
                 claimed AS (
            UPDATE document d
               SET state = 'validating', claim = :claim, lease_until = now() + CAST(:lease AS interval), begun_at = now(),
                   attempts = d.attempts + 1
              FROM next, app_user u
             WHERE d.tenant_id = :tenant AND d.id = next.id AND u.tenant_id = :tenant AND u.id = d.owner_id
            RETURNING d.id, d.name, d.version, d.declared_type, d.declared_charset, d.comments, d.size, d.sha256, d.attempts,
                   u.name AS submitter, u.role AS submitter_role)
            SELECT c.*, announce(:tenant, jsonb_build_array(
                            jsonb_build_object('topic', 'documents', 'action', 'validating', 'thing', c.id)))
              FROM claimed c
            """).with("waits", DocumentRow.WAITS).sql();

    private static final String CLAIMED = """
             WHERE tenant_id = :tenant AND id = :id AND state = 'validating' AND claim = :claim
            """;

    private static final String RENEW = "UPDATE document SET lease_until = now() + CAST(:lease AS interval)" + CLAIMED;

    private static final String RELEASE = changing("""
            UPDATE document SET state = 'queued', claim = NULL, lease_until = NULL, attempts = attempts - :uncounted
            """ + CLAIMED + " RETURNING tenant_id, id, name_key, state");

    /** Returns the statement that makes the change, which returns documents and their states, and announces it. */
    private static String changing(String change) {
        return SqlTemplate.of("""
                WITH d AS ({change})
                SELECT announce(d.tenant_id, jsonb_build_array(
                           jsonb_build_object('topic', 'documents', 'action', d.state, 'thing', d.id),
                           jsonb_build_object('topic', 'document', 'names', ARRAY[d.name_key], 'everyone', true),
                           jsonb_build_object('topic', 'resources', 'everyone', true)))
                  FROM d
                """).with("change", change).sql();
    }

    private static final String FINISH = """
            UPDATE document
               SET state = :state, media_type = :type, reasons = CAST(:reasons AS json), characters = :characters, turns = :turns,
                   validated_at = :now, claim = NULL, lease_until = NULL,
                   took_ms = extract(epoch FROM statement_timestamp() - begun_at) * 1000
            """ + CLAIMED + " RETURNING name";

    /** Finds a document with the same content, comments included or not as in this one: the newest accepted version of its name. */
    private static final String FIND_TWIN = """
            SELECT t.name, t.version
              FROM document t
             WHERE t.tenant_id = :tenant AND t.sha256 = :sha256 AND t.id <> :id AND t.state = 'accepted'
               AND t.comments = :comments
               AND NOT EXISTS (SELECT 1 FROM document n
                                WHERE n.tenant_id = t.tenant_id AND n.name_key = t.name_key AND n.state = 'accepted'
                                  AND n.version > t.version)
             ORDER BY t.version
             LIMIT 1
            """;

    /** Those that banks have memories from stay. */
    private static final String REJECTED = """
            state = 'rejected' AND validated_at < :until
                                   AND NOT EXISTS (SELECT 1 FROM document_memory l
                                                    WHERE l.tenant_id = document.tenant_id AND l.document_id = document.id)
            """;

    private static final String TENANTS_WITH_REJECTED = "SELECT DISTINCT tenant_id FROM document WHERE " + REJECTED;

    private static final String OLD_REJECTED =
            changing(SqlTemplate.of("""
                DELETE FROM document
                 WHERE tenant_id = :tenant
                   AND ctid IN (SELECT ctid FROM document
                                 WHERE tenant_id = :tenant AND {rejected}
                                 LIMIT :portion FOR UPDATE SKIP LOCKED)
                RETURNING tenant_id, id, name_key, 'deleted' AS state),
                counted AS (INSERT INTO usage_delta (tenant_id, scope, delta)
                            SELECT tenant_id, 'documents', -count(*) FROM d GROUP BY tenant_id""").with("rejected", REJECTED).sql());

    private static final int PORTION = 100;

    private final Db db;
    private final EventLog events;
    private final AuditStore audit;
    private final ChangeStore changes;

    public QueueStore(Db db, EventLog events, AuditStore audit) {
        this.db = db;
        this.events = events;
        this.audit = audit;
        this.changes = new ChangeStore(db);
    }

    /**
     * A document that a worker has claimed.
     *
     * @param submitter the user's name
     * @param role the user's present role, as a word
     * @param attempts including this one
     */
    public record ClaimedDocument(
            long tenant,
            UUID id,
            UUID claim,
            String name,
            long version,
            @Nullable String declaredType,
            @Nullable String declaredCharset,
            boolean comments,
            long size,
            String sha256,
            String submitter,
            String role,
            int attempts) {}

    /** Claims the document whose turn it is. */
    List<ClaimedDocument> claim(Duration lease) {
        var tenants = db.sql(TENANTS).list(row -> row.number("tenant_id"));
        return TenantTurns.claim(tenants, 1, 1, (tenant, _) -> claim(tenant, lease));
    }

    private List<ClaimedDocument> claim(long tenant, Duration lease) {
        var claim = UUID.randomUUID();
        return db.sql(CLAIM)
                .set("tenant", tenant)
                .set("claim", claim)
                .set("lease", lease.toString())
                .list(row -> new ClaimedDocument(
                        tenant,
                        UUID.fromString(row.text("id")),
                        claim,
                        row.text("name"),
                        row.number("version"),
                        row.textOrNull("declared_type"),
                        row.textOrNull("declared_charset"),
                        row.flag("comments"),
                        row.number("size"),
                        row.text("sha256"),
                        row.text("submitter"),
                        row.text("submitter_role"),
                        (int) row.number("attempts")));
    }

    private Statement of(ClaimedDocument claim, String text) {
        return db.sql(text).set("tenant", claim.tenant()).set("id", claim.id()).set("claim", claim.claim());
    }

    /** Returns whether the claim is still valid, and extends its lease. */
    boolean renew(ClaimedDocument claim, Duration lease) {
        return of(claim, RENEW).set("lease", lease.toString()).run() == 1;
    }

    /** @param counts whether the attempt counts: not if its failure was not the document's fault */
    void release(ClaimedDocument claim, boolean counts) {
        of(claim, RELEASE).set("uncounted", counts ? 0 : 1).run();
    }

    /** Returns the document that has this content already, as shown to a reader. */
    Optional<String> twin(ClaimedDocument claim) {
        return db.sql(FIND_TWIN)
                .set("tenant", claim.tenant())
                .set("id", claim.id())
                .set("sha256", claim.sha256())
                .set("comments", claim.comments())
                .one(row -> "version %d of '%s'".formatted(row.number("version"), row.text("name")));
    }

    /**
     * The result of a validation.
     *
     * @param type null if it was not found
     * @param parts empty for a rejected document
     * @param turns of a conversation; null for other documents
     * @param rules the names of the rules that matched
     */
    record ValidationResult(
            boolean accepted,
            @Nullable DocumentType type,
            List<DocumentReason> reasons,
            List<Extracted.Part> parts,
            @Nullable Long turns,
            List<String> rules) {
        static ValidationResult rejected(
                @Nullable DocumentType type, List<DocumentReason> reasons, List<String> rules) {
            return new ValidationResult(false, type, reasons, List.of(), null, rules);
        }

        @Nullable
        Long characters() {
            return accepted
                    ? (Long)
                            parts.stream().mapToLong(Extracted.Part::characters).sum()
                    : null;
        }
    }

    /**
     * Writes the result and its event, if the claim is still valid. It is written once, whoever else validated the
     * document. If rules matched, the audit gets an entry.
     *
     * @return whether it was written
     */
    boolean finish(ClaimedDocument claim, ValidationResult result, Instant now) {
        var done = db.transaction(() -> {
            if (result.accepted() && !isFirst(claim)) {
                return false;
            }
            var name = of(claim, FINISH)
                    .set("state", result.accepted() ? "accepted" : "rejected")
                    .set("type", result.type() == null ? null : result.type().mediaType())
                    .set("reasons", Json.text(result.reasons()))
                    .set("characters", result.characters())
                    .set("turns", result.turns())
                    .set("now", now)
                    .one(row -> row.text("name")); // It may have been renamed since the claim.
            if (name.isPresent()) {
                write(claim, result.parts());
                var state = result.accepted() ? "accepted" : "rejected";
                changes.write(claim.tenant(), Change.document(claim.id(), name.get(), state));
                report(claim, name.get(), result, now);
            } else {
                changes.write(claim.tenant(), List.of()); // The claim was lost: nothing has changed.
            }
            return name.isPresent();
        });
        if (done) {
            events.committed();
        }
        return done;
    }

    private void report(ClaimedDocument claim, String name, ValidationResult result, Instant now) {
        var data = new EventData.DocumentValidated(name, claim.version(), result.reasons());
        var kind = result.accepted() ? EventType.DOCUMENT_ACCEPTED : EventType.DOCUMENT_REJECTED;
        EventLog.insert(db, claim.tenant(), Event.of(kind, now, data), null).run();
        if (!result.rules().isEmpty()) {
            var actor = new AuditEntry.Actor(claim.submitter(), "queue", null);
            var subject =
                    new AuditEntry.Subject("document", claim.name(), claim.id().toString());
            var entry = AuditEntry.event(
                    AuditEvent.DOCUMENT_VALIDATED,
                    now,
                    actor,
                    subject,
                    RequestSource.NOWHERE,
                    claim.claim().toString());
            var outcome = result.accepted() ? AuditEntry.DONE : Failure.RULE_REFUSED.commandError();
            audit.note(claim.tenant(), entry.ruled(outcome, result.rules()));
        }
    }

    /**
     * Returns whether no other document with this content is accepted. Concurrent validations of the same
     * content wait for each other here.
     */
    private boolean isFirst(ClaimedDocument claim) {
        db.sql("SELECT pg_advisory_xact_lock(hashtextextended('document content ' || :sha256, :tenant))")
                .set("sha256", claim.sha256())
                .set("tenant", claim.tenant())
                .one(_ -> true);
        return twin(claim).isEmpty();
    }

    private void write(ClaimedDocument claim, List<Extracted.Part> parts) {
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
                    SELECT home.tenant_id, :id, p.n, p.characters, p.blocks
                      FROM tenant_plan home
                     CROSS JOIN unnest(CAST(:numbers AS bigint[]), CAST(:characters AS bigint[]), CAST(:blocks AS text[])) p (n, characters, blocks)
                     WHERE home.tenant_id = :tenant
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

    /** Deletes documents that were rejected before the given time, except those from which banks have memories. */
    public void purge(Instant until) {
        var tenants = db.sql(TENANTS_WITH_REJECTED).set("until", until).list(row -> row.number("tenant_id"));
        TenantTurns.take(tenants, tenant -> purge(tenant, until) == PORTION);
    }

    private int purge(long tenant, Instant until) {
        return db.bulk(() -> db.sql(OLD_REJECTED)
                        .announcing()
                        .set("tenant", tenant)
                        .set("until", until)
                        .set("portion", PORTION)
                        .list(_ -> true))
                .size();
    }
}
