package io.agentworkspace.engine.memory.banks.files;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.NamePrefix;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.List;
import java.util.UUID;

/** Changes files without changing their text. */
final class FileStore {
    private static final String FIND = SqlTemplate.of("""
            SELECT m.id, m.author_id, m.name
              FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND {readable}
               AND (m.name_key = :name OR {begins})
             ORDER BY m.id
            """)
            .with("begins", NamePrefix.of("m"))
            .with("readable", MemoryVisibility.readable("m", "b"))
            .sql();

    private static final String LOCK = FIND + "FOR UPDATE OF m";

    private static final String IS_CURRENT = SqlTemplate.of("""
            SELECT EXISTS (SELECT 1
                             FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
                            WHERE b.tenant_id = :tenant AND b.id = :bank AND m.id = :id
                              AND ({current} OR m.contributors && {censored})) AS current
            """)
            .with("current", MemoryVisibility.current("m", "b"))
            .with("censored", MemoryVisibility.censored("b"))
            .sql();

    private static final String LET_HIDDEN_GIVE_WAY =
            SqlTemplate.of("""
            UPDATE memory m
               SET name_key = NULL
              FROM bank b
             WHERE b.tenant_id = :tenant AND b.id = :bank AND m.tenant_id = :tenant AND m.bank_id = b.id
               AND m.name_key = ANY (:keys) AND m.deleted_at IS NULL AND m.contributors && {censored}
            """).with("censored", MemoryVisibility.censored("b")).sql();

    private final Db db;

    public FileStore(Db db) {
        this.db = db;
    }

    record File(UUID id, long author, String name) {}

    /** Finds the file with this path, and the files in the directory with this path. */
    List<File> find(Call call, BankStore.LockedBank bank, FilePath path) {
        return find(call, bank, path, FIND);
    }

    /** Finds and locks the same files. */
    List<File> lock(Call call, BankStore.LockedBank bank, FilePath path) {
        return find(call, bank, path, LOCK);
    }

    private List<File> find(Call call, BankStore.LockedBank bank, FilePath path, String statement) {
        return db.sql(call, statement)
                .set("bank", bank.id())
                .set("name", path.key())
                .set("prefix", path.prefix())
                .list(row -> row.as(File.class));
    }

    /**
     * Returns whether the file is in its directory: neither expired nor superseded. Hidden files count for their author.
     */
    boolean isCurrent(Call call, BankStore.LockedBank bank, UUID id) {
        return db.sql(call, IS_CURRENT)
                .set("bank", bank.id())
                .set("id", id)
                .one(row -> row.flag("current"))
                .orElseThrow();
    }

    /** Moves the files into the trash. */
    void delete(Call call, BankStore.LockedBank bank, List<File> files) {
        var ids = files.stream().map(File::id).toList();
        call.changed(Change.memories(bank.id(), "removed", ids));
        db.sql(call, """
                UPDATE memory SET deleted_at = :now WHERE tenant_id = :tenant AND bank_id = :bank AND id = ANY (:ids)
                """).set("bank", bank.id()).set("ids", ids).run();
    }

    /** Renames the files, and returns false if another memory has one of the names. A hidden memory loses its name. */
    boolean rename(Call call, BankStore.LockedBank bank, Ref editor, List<File> files, List<MemoryName> names) {
        var ids = files.stream().map(File::id).toList();
        var keys = names.stream().map(MemoryName::key).toList();
        call.changed(Change.memories(bank.id(), "updated", ids));
        db.sql(call, LET_HIDDEN_GIVE_WAY)
                .set("bank", bank.id())
                .set("keys", keys)
                .run();
        try {
            db.sql(call, """
                    UPDATE memory m
                       SET name = file.name, name_key = file.key, editor_id = NULLIF(CAST(:editor AS bigint), m.author_id),
                           revision = m.revision + 1, updated_at = :now
                      FROM unnest(CAST(:ids AS uuid[]), :names, :keys) AS file (id, name, key)
                     WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = file.id
                    """)
                    .set("bank", bank.id())
                    .set("editor", editor.id())
                    .set("ids", ids)
                    .set("names", names.stream().map(MemoryName::text).toList())
                    .set("keys", keys)
                    .run();
            return true;
        } catch (SqlFailure e) {
            if (Db.isTaken(e)) {
                return false;
            }
            throw e;
        }
    }
}
