package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.stream.Stream;

/** What documents are elsewhere, such as a conversation of another product: under another name it is the same document. */
final class OriginStore {
    private static final String FIND = """
            SELECT d.name_key, EXISTS (SELECT 1 FROM document o WHERE o.tenant_id = :tenant AND o.name_key = :key) AS is_taken
              FROM document d
             WHERE d.tenant_id = :tenant AND d.origin = :origin AND (:admin OR d.owner_id = :user)
             ORDER BY d.created_at DESC, d.id DESC
             LIMIT 1
            """;

    private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('document ' || :key, :tenant))";

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
    private record Found(String nameKey, boolean isTaken) {}

    /**
     * Gives the document of this origin, if the caller submitted one, this name. The version that is added then is refused, and nothing
     * renamed, if the caller may not add it.
     *
     * @throws Problem {@code conflict} if another document has the name
     */
    void rename(Call call, String origin, DocumentName name) {
        lock(call, "of " + origin);
        var found =
                db.sql(call, FIND).set("origin", origin).set("key", name.key()).one(row -> row.as(Found.class));
        if (found.isEmpty() || found.get().nameKey().equals(name.key())) {
            return;
        } else if (found.get().isTaken()) {
            throw Problem.conflict("'%s' is another document: give a name that none has".formatted(name.text()));
        }
        var former = found.get().nameKey();
        Stream.of(former, name.key()).sorted().forEach(key -> lock(call, key));
        for (var statement : new String[] {VERSIONS, DOCUMENTS}) {
            db.sql(call, statement)
                    .set("name", name.text())
                    .set("key", name.key())
                    .set("former", former)
                    .run();
        }
        loaded.rename(call, former, name);
    }

    private void lock(Call call, String key) {
        db.sql(call, LOCK).set("key", key).one(_ -> true);
    }
}
