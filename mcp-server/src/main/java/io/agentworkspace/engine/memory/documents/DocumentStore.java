package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.document.Upload;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Changes documents, inside a transaction. */
public final class DocumentStore {
    private static final String READ = "WITH " + DocumentRow.QUEUE
            + SqlTemplate.of("""
            SELECT {document_json} AS record FROM document d {join_queue} WHERE d.tenant_id = :tenant AND d.id = :id
            """)
                    .with("document_json", DocumentRow.JSON)
                    .with("join_queue", DocumentRow.JOIN)
                    .sql();

    private static final String FIND = """
            SELECT d.id, d.name, d.version, d.owner_id, u.name AS owner_name, d.state
              FROM document d JOIN app_user u ON u.tenant_id = :tenant AND u.id = d.owner_id
             WHERE d.tenant_id = :tenant AND (d.id = CAST(:id AS uuid) OR d.name_key = :key)
             ORDER BY d.id = CAST(:id AS uuid) DESC NULLS LAST, d.version DESC
            """;

    private static final String LOCK = FIND + "FOR UPDATE OF d";

    private final Db db;

    public DocumentStore(Db db) {
        this.db = db;
    }

    /**
     * Nothing is inserted if the name has versions, of which the caller submitted none, and the caller is no admin. An
     * engine of an older version, which counts otherwise, may run at the same time.
     */
    private static final String INSERT = """
            WITH next AS (
                INSERT INTO document_version AS v (tenant_id, name_key, last)
                SELECT home.tenant_id, CAST(:key AS text),
                       COALESCE((SELECT max(d.version) FROM document d WHERE d.tenant_id = :tenant AND d.name_key = :key), 0) + 1
                  FROM tenant_plan home
                 WHERE home.tenant_id = :tenant
                    ON CONFLICT (tenant_id, name_key) DO UPDATE SET last = greatest(v.last + 1, EXCLUDED.last)
                RETURNING v.last)
            INSERT INTO document AS stored (tenant_id, id, name, name_key, version, upload_id, declared_type, declared_charset, comments, origin, size, sha256,
                                  owner_id, created_at, queued_at)
            SELECT home.tenant_id, :id, :name, :key, next.last, :upload, CAST(:declared AS text), CAST(:charset AS text), :comments, CAST(:origin AS text), :size, :sha256, :user,
                   :now, statement_timestamp()
              FROM tenant_plan home CROSS JOIN next
             WHERE home.tenant_id = :tenant
               AND NOT EXISTS (SELECT 1 FROM document d
                                WHERE d.tenant_id = :tenant AND d.name_key = :key
                               HAVING count(*) > 0 AND NOT bool_or(d.owner_id = :user OR :admin))
            RETURNING stored.version
            """;

    /**
     * Queues the next version of the document with this name. Concurrent versions get different numbers, and no number
     * is used again.
     *
     * @throws Problem {@code not_permitted} if others submitted the document
     */
    Document insert(
            Call call,
            DocumentName name,
            @Nullable String origin,
            @Nullable String declaredType,
            boolean comments,
            Upload file) {
        var id = UUID.randomUUID();
        lock(db, call, name.key());
        var inserted = db.sql(call, INSERT)
                .set("id", id)
                .set("name", name.text())
                .set("key", name.key())
                .set("upload", file.id())
                .set("declared", declaredType)
                .set("charset", file.charset())
                .set("comments", comments)
                .set("origin", origin)
                .set("size", file.size())
                .set("sha256", file.sha256())
                .one(row -> row.number("version"));
        if (inserted.isEmpty()) {
            throw notOwn(find(call, name.text()).getFirst());
        }
        call.created(Scope.DOCUMENTS, 1);
        call.changed(Change.document(id, name.text(), "queued"));
        call.queue();
        return read(call, id);
    }

    /** Locks a name, or an origin, until the transaction ends. */
    static void lock(Db db, Call call, String key) {
        db.sql(call, "SELECT pg_advisory_xact_lock(hashtextextended('document ' || :key, :tenant))")
                .set("key", key)
                .one(_ -> true);
    }

    private static Problem notOwn(SubmittedVersion newest) {
        return Problem.notPermitted(
                "'%s' was submitted by somebody else, '%s': only that user or an admin may add a version; submit yours under another name"
                        .formatted(newest.name(), newest.ownerName()));
    }

    private Document read(Call call, UUID id) {
        return db.sql(call, READ)
                .set("id", id)
                .one(row -> Objects.requireNonNull(row.json("record", Document.class)))
                .orElseThrow();
    }

    /** A version, with the user who submitted it. */
    public record SubmittedVersion(
            UUID id, String name, long version, long owner, String ownerName, DocumentState state) {
        /** Returns whether the request named this version by its id, rather than the document by its name. */
        boolean isGivenBy(String text) {
            return DocumentQueries.VersionSelection.version(text)
                    .id()
                    .filter(id::equals)
                    .isPresent();
        }
    }

    /**
     * Locks the selected versions until the transaction ends: one by its id, or all with a name, newest first.
     *
     * @throws Problem {@code not_found}
     */
    List<SubmittedVersion> lock(Call call, String text) {
        var versions = versions(call, text, LOCK);
        if (versions.isEmpty()) {
            throw missing(text);
        }
        return versions;
    }

    static Problem missing(String text) {
        return Problem.notFound("document", Name.shortened(text), List.of());
    }

    /** The same, as they are at this moment; none if there is no such document. */
    public List<SubmittedVersion> find(Call call, String text) {
        return versions(call, text, FIND);
    }

    private List<SubmittedVersion> versions(Call call, String text, String statement) {
        var id = DocumentQueries.VersionSelection.version(text).id().orElse(null);
        var rows = db.sql(call, statement)
                .set("id", id)
                .set("key", Name.key(Name.normal(text)))
                .list(row -> row.as(SubmittedVersion.class));
        return !rows.isEmpty() && rows.getFirst().id().equals(id) ? rows.subList(0, 1) : rows;
    }

    /** Queues a version again, whatever its earlier result. */
    Document requeue(Call call, SubmittedVersion version) {
        db.sql(call, """
                UPDATE document
                   SET state = 'queued', attempts = 0, claim = NULL, lease_until = NULL, queued_at = statement_timestamp(),
                       reasons = '[]', validated_at = NULL, media_type = NULL, characters = NULL, turns = NULL
                 WHERE tenant_id = :tenant AND id = :id
                """).set("id", version.id()).run();
        call.changed(Change.document(version.id(), version.name(), "queued"));
        call.queue();
        return read(call, version.id());
    }

    void delete(Call call, List<SubmittedVersion> versions) {
        versions.forEach(version -> call.changed(Change.document(version.id(), version.name(), "deleted")));
        var deleted = db.sql(call, "DELETE FROM document WHERE tenant_id = :tenant AND id = ANY (CAST(:ids AS uuid[]))")
                .set("ids", versions.stream().map(SubmittedVersion::id).toList())
                .run();
        call.ended(Scope.DOCUMENTS, deleted);
    }
}
