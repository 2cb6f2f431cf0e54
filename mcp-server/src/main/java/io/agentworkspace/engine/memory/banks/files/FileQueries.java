package io.agentworkspace.engine.memory.banks.files;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.NamePrefix;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.banks.BankAccess;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a bank's named memories as files and directories. */
final class FileQueries {
    /** The maximum number of entries of a directory that are read. */
    private static final int ENTRIES = 10_000;

    private static final String VIEW = BankPermissionRow.SUBJECT
            + SqlTemplate.of("""
            , b AS (
                SELECT b.*, {permission}
                  FROM s, bank b JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id, {permit}
                 WHERE b.tenant_id = :tenant AND b.name_key = :key AND {visible_bank})
            SELECT b.permission_level, b.permission_via, b.permission_agent, b.permission_bank, b.permission_owner,
                   (SELECT m.text
                      FROM memory m
                     WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND b.permission_level <> 'none'
                       AND m.name_key = :name AND {readable}) AS text,
                   (SELECT jsonb_agg(jsonb_build_object('top', top, 'sub', sub, 'deep', deep, 'bytes', bytes)
                                     ORDER BY top_key, sub_key, deep)
                      FROM (SELECT min(split_part(m.name, '/', :depth + 1)) AS top,
                                   min(split_part(m.name, '/', :depth + 2)) AS sub,
                                   split_part(m.name_key, '/', :depth + 1) AS top_key,
                                   split_part(m.name_key, '/', :depth + 2) AS sub_key,
                                   split_part(m.name_key, '/', :depth + 3) <> '' AS deep, sum(octet_length(m.text)) AS bytes
                              FROM memory m
                             WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND b.permission_level <> 'none'
                               AND {begins} AND {current}
                             GROUP BY top_key, sub_key, deep
                             ORDER BY top_key, sub_key, deep
                             LIMIT :entries) entry) AS entries
              FROM (VALUES (1)) one (row) LEFT JOIN b ON true
            """)
                    .with("permission", BankPermissionRow.COLUMNS)
                    .with("permit", BankPermissionRow.PERMIT)
                    .with("visible_bank", Visibility.bank("b"))
                    .with("begins", NamePrefix.of("m"))
                    .with("readable", MemoryVisibility.readable("m", "b"))
                    .with("current", MemoryVisibility.current("m", "b"))
                    .sql();

    private final Db db;
    private final BankStore banks;

    public FileQueries(Db db, BankStore banks) {
        this.db = db;
        this.banks = banks;
    }

    /**
     * An entry of a directory: a file, or an entry of a subdirectory.
     *
     * @param top the file or subdirectory
     * @param sub the entry in the subdirectory; empty for a file
     * @param deep whether that entry is a directory itself
     * @param bytes its size
     */
    record DirectoryEntry(String top, String sub, boolean deep, long bytes) {
        boolean isBelow() {
            return !sub.isEmpty();
        }

        String path() {
            return !isBelow() ? top : deep ? "%s/%s/".formatted(top, sub) : "%s/%s".formatted(top, sub);
        }

        boolean isHidden() {
            return isHidden(top) || isHidden(sub);
        }

        private static boolean isHidden(String name) {
            return name.startsWith(".") || name.equals("node_modules");
        }
    }

    /** A file's text, or the entries of a directory. */
    record View(@Nullable String text, List<DirectoryEntry> entries) {}

    /** Returns the content of the path, in one statement. */
    View view(Call call, Name bank, FilePath path) {
        return db.sql(call, VIEW)
                .set("key", bank.key())
                .set("name", path.key())
                .set("prefix", path.prefix())
                .set("depth", path.depth())
                .set("entries", ENTRIES)
                .one(row -> view(call, row))
                .orElseThrow()
                .orElseThrow(() -> banks.missing(call, bank));
    }

    private static Optional<View> view(Call call, Row row) throws SQLException {
        if (row.textOrNull("permission_level") == null) {
            return Optional.empty();
        }
        BankAccess.requireRead(call, BankPermissionRow.read(row));
        return Optional.of(row.as(View.class));
    }
}
