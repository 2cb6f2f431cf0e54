package io.agentworkspace.engine.documents;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.model.document.Document;
import io.agentworkspace.engine.model.document.DocumentState;
import io.agentworkspace.engine.model.document.Upload;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The documents as they are changed: inside a transaction. */
public final class DocumentStore {
    private static final String READ = "WITH " + DocumentRow.QUEUE + """
            SELECT %s AS record FROM document d %s WHERE d.tenant_id = :tenant AND d.id = :id
            """.formatted(DocumentRow.JSON, DocumentRow.JOIN);

    private final Db db;

    public DocumentStore(Db db) {
        this.db = db;
    }

    /** Puts the next version of the name into the queue; of two at once each gets a number of its own. */
    Document insert(Call call, DocumentName name, @Nullable String declaredType, Upload file) {
        var id = UUID.randomUUID();
        db.sql(call, "SELECT pg_advisory_xact_lock(hashtextextended('document ' || :key, :tenant))")
                .set("key", name.key())
                .one(_ -> true);
        db.sql(call, """
                INSERT INTO document (tenant_id, id, name, name_key, version, upload_id, declared_type, size, sha256, owner_id,
                                      created_at, queued_at)
                SELECT :tenant, :id, :name, :key, COALESCE(max(d.version), 0) + 1, :upload, CAST(:declared AS text), :size, :sha256, :user,
                       :now, clock_timestamp()
                  FROM document d
                 WHERE d.tenant_id = :tenant AND d.name_key = :key
                """)
                .set("id", id)
                .set("name", name.text())
                .set("key", name.key())
                .set("upload", file.id())
                .set("declared", declaredType)
                .set("size", file.size())
                .set("sha256", file.sha256())
                .run();
        call.created(Scope.DOCUMENTS, 1);
        call.queue();
        return read(call, id);
    }

    private Document read(Call call, UUID id) {
        return db.sql(call, READ)
                .set("id", id)
                .one(row -> Objects.requireNonNull(row.json("record", Document.class)))
                .orElseThrow();
    }

    /** A version that the transaction holds. */
    record Held(UUID id, String name, long version, long owner, DocumentState state) {}

    /**
     * The versions that are meant: one by its id, or all of a name, newest first. They stay as they are while the transaction lasts.
     *
     * @throws Problem {@code not_found}
     */
    List<Held> lock(Call call, String given) {
        var id = DocumentQueries.Wanted.version(given).id().orElse(null);
        var held = db.sql(call, """
                SELECT d.id, d.name, d.version, d.owner_id, d.state
                  FROM document d
                 WHERE d.tenant_id = :tenant AND (d.id = CAST(:id AS uuid) OR d.name_key = :key)
                 ORDER BY d.id = CAST(:id AS uuid) DESC NULLS LAST, d.version DESC
                   FOR UPDATE
                """)
                .set("id", id)
                .set("key", Name.key(Name.normal(given)))
                .list(row -> new Held(
                        UUID.fromString(row.text("id")),
                        row.text("name"),
                        row.number("version"),
                        row.number("owner_id"),
                        DocumentState.of(row.text("state"))));
        if (held.isEmpty()) {
            throw Problem.notFound("document", Name.shortened(given), List.of());
        }
        return held.getFirst().id().equals(id) ? held.subList(0, 1) : held;
    }

    /** Puts a version back into the queue, whatever came of it before. */
    Document requeue(Call call, Held held) {
        db.sql(call, """
                UPDATE document
                   SET state = 'queued', attempts = 0, claim = NULL, lease_until = NULL, queued_at = clock_timestamp(),
                       reasons = '[]', validated_at = NULL
                 WHERE tenant_id = :tenant AND id = :id
                """).set("id", held.id()).run();
        call.queue();
        return read(call, held.id());
    }

    void delete(Call call, List<Held> held) {
        db.sql(call, "DELETE FROM document WHERE tenant_id = :tenant AND id = ANY (CAST(:ids AS uuid[]))")
                .set("ids", held.stream().map(Held::id).toList())
                .run();
    }
}
