package io.agentworkspace.engine.memory.banks;

import java.util.LinkedHashMap;
import java.util.stream.Collectors;

/** The columns of a memory {@code m}: a new field is added here and to {@link io.agentworkspace.engine.model.bank.Memory}. */
public final class MemoryRow {
    /** The writers of a memory {@code m}: who stored it first, and who stored this revision. */
    public static final String WRITERS = """
            CROSS JOIN LATERAL (SELECT x.name, x.kind FROM party x
                                 WHERE x.tenant_id = :tenant AND x.id = m.author_id OFFSET 0) author
            LEFT JOIN LATERAL (SELECT x.name, x.kind FROM party x
                                WHERE x.tenant_id = :tenant AND x.id = m.editor_id OFFSET 0) editor ON true
            """;

    /** The ids of all that this revision of a memory {@code m} supersedes, where they are several: the column has only the first. */
    private static final String SUPERSEDED = """
        CASE WHEN m.supersedes IS NOT NULL
             THEN (SELECT array_agg(CAST(o.id AS text) ORDER BY o.id <> m.supersedes, o.id)
                     FROM (SELECT o.id
                             FROM memory o
                            WHERE o.tenant_id = :tenant AND o.bank_id = m.bank_id AND o.superseded_by = m.id
                              AND o.superseded_at = m.updated_at AND o.deleted_at IS NULL
                            ORDER BY o.id <> m.supersedes, o.id
                            LIMIT 20) o
                   HAVING count(*) > 1) END
        """;

    private MemoryRow() {}

    /**
     * Returns the columns, with {@link #WRITERS}. The superseding memory is given as {@code m.superseder}, since not all readers may
     * see it.
     *
     * @param bank the expression of its bank's name
     */
    public static String columns(String bank) {
        return columns("", bank, "m.text");
    }

    /**
     * @param prefix what the columns' names begin with
     * @param text the expression of the text, of which a reader may get less
     */
    public static String columns(String prefix, String bank, String text) {
        var columns = new LinkedHashMap<String, String>();
        columns.put("id", "m.id");
        columns.put("bank", bank);
        columns.put("name", "m.name");
        columns.put("text", text);
        columns.put("truncated", "CAST(NULL AS boolean)");
        columns.put("length", "CAST(NULL AS integer)");
        columns.put("tags", "m.tags");
        columns.put("author", "author.name");
        columns.put("source_kind", "COALESCE(m.source ->> 'kind', editor.kind, author.kind)");
        columns.put("source_name", "COALESCE(m.source ->> 'name', editor.name, author.name)");
        columns.put("source_version", "CAST(m.source ->> 'version' AS bigint)");
        columns.put("source_position", "m.source ->> 'position'");
        // Answers that show many memories leave it out.
        columns.put("source_origin", prefix.isEmpty() ? "m.source -> 'origin'" : "CAST(NULL AS jsonb)");
        columns.put("source_speaker", "m.source ->> 'speaker'");
        columns.put("source_time", "CAST(m.source ->> 'time' AS timestamptz)");
        columns.put("source_session", "m.source ->> 'session'");
        columns.put("revision", "m.revision");
        columns.put("derived_from", "CAST(m.derived_from AS text[])");
        columns.put("supersedes", "m.supersedes");
        columns.put("supersedes_all", SUPERSEDED);
        columns.put("reason", "m.reason");
        columns.put("superseded_by", "m.superseder");
        columns.put("expires_at", "m.expires_at");
        columns.put("pinned", "m.pinned");
        columns.put("created_at", "m.created_at");
        columns.put("updated_at", "m.updated_at");
        return columns.entrySet().stream()
                .map(column -> column.getValue() + " AS " + prefix + column.getKey())
                .collect(Collectors.joining(", "));
    }
}
