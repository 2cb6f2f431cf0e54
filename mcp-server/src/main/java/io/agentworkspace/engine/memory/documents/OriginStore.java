package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.change.Audience;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What documents are elsewhere, such as a conversation of another product: under another name it is the same document. Only a
 * caller's own documents count, since everybody sees an origin and could give it to a document.
 */
final class OriginStore {
    private static final String FIND = """
            SELECT d.name_key, d.name, EXISTS (SELECT 1 FROM document o WHERE o.tenant_id = :tenant AND o.name_key = :key) AS is_taken
              FROM document d
             WHERE d.tenant_id = :tenant AND d.origin = :origin AND d.owner_id = :user
             ORDER BY d.created_at DESC, d.id DESC
             LIMIT 1
            """;

    /** The numbers of versions go on. */
    private static final String VERSIONS = """
            INSERT INTO document_version AS v (tenant_id, name_key, last)
            SELECT f.tenant_id, :key, f.last
              FROM document_version f
             WHERE f.tenant_id = :tenant AND f.name_key = :former
                ON CONFLICT (tenant_id, name_key) DO UPDATE SET last = greatest(v.last, EXCLUDED.last)
            """;

    private static final String DOCUMENTS = """
            UPDATE document d
               SET name = :name, name_key = :key
             WHERE d.tenant_id = :tenant AND d.name_key = :former
            """;

    private final Db db;
    private final LoadedMemories loaded;

    OriginStore(Db db, LoadedMemories loaded) {
        this.db = db;
        this.loaded = loaded;
    }

    /** A document of an origin, and whether another one has its new name. */
    private record Found(String nameKey, String name, boolean isTaken) {}

    /**
     * Gives the caller's document of this origin, if there is one, this name. The version that is added then is refused, and nothing
     * renamed, if the caller may not add it.
     *
     * @throws Problem {@code conflict} if another document has the name
     */
    void rename(Call call, String origin, DocumentName name) {
        DocumentStore.lock(db, call, "of " + origin);
        var former = find(call, origin, name).orElse(null);
        if (former == null) {
            return;
        }
        Stream.of(former.nameKey(), name.key()).sorted().forEach(key -> DocumentStore.lock(db, call, key));
        if (!find(call, origin, name).equals(Optional.of(former))) {
            throw Problem.conflict("the document changed at the same time; send the request again");
        }
        rename(call, former, name);
    }

    /** Returns the document, if it has another name; it is read again when the names are locked. */
    private Optional<Found> find(Call call, String origin, DocumentName name) {
        var found = db.sql(call, FIND)
                .set("origin", origin)
                .set("key", name.key())
                .one(row -> row.as(Found.class))
                .filter(each -> !each.nameKey().equals(name.key()));
        if (found.filter(Found::isTaken).isPresent()) {
            throw Problem.conflict("'%s' is another document: give a name that none has".formatted(name.text()));
        }
        return found;
    }

    private void rename(Call call, Found former, DocumentName name) {
        for (var statement : List.of(VERSIONS, DOCUMENTS)) {
            db.sql(call, statement)
                    .set("name", name.text())
                    .set("key", name.key())
                    .set("former", former.nameKey())
                    .run();
        }
        loaded.rename(call, former.nameKey(), name.key());
        call.details("renamed from '%s'".formatted(former.name()));
        call.changed(Change.named(ChangeTopic.DOCUMENT, former.name(), Audience.EVERYONE));
    }
}
