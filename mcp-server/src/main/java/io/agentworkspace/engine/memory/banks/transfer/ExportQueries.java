package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.MemoryQueries;
import io.agentworkspace.engine.memory.banks.transfer.exported.ExportFormat;
import io.agentworkspace.engine.memory.banks.transfer.exported.ExportedMemory;
import io.agentworkspace.engine.memory.banks.transfer.exported.FilePart;
import io.agentworkspace.engine.memory.banks.transfer.exported.MemoryLine;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a bank as lines, the oldest memory first, each followed by its former revisions. They are those that MB_Read shows
 * by name or id: also superseded and expired memories, but none that is hidden or in the trash.
 */
final class ExportQueries {
    private static final String LINES = lines("CAST(NULL AS text)", "CAST(NULL AS jsonb)");

    /** Also returns the titles of each, and of the memories that it refers to. */
    private static final String LINKED_LINES = lines(
            title("m"),
            SqlTemplate.of("""
            (SELECT jsonb_object_agg(x.id, {title})
               FROM unnest(l.derived_from[1:{origins}] || l.supersedes || l.superseded_by) AS other (id)
              CROSS JOIN LATERAL (SELECT x.* FROM memory x
                                   WHERE x.tenant_id = :tenant AND x.bank_id = b.id AND x.id = other.id OFFSET 0) x
              WHERE {readable})
        """)
                    .with("title", title("x"))
                    .with("origins", String.valueOf(ExportedMemory.ORIGINS))
                    .with("readable", MemoryVisibility.readable("x", "b"))
                    .sql());

    /** Returns the memory's name; or its id, if it has none or another memory has the same name with the ending of notes. */
    private static String title(String memory) {
        return SqlTemplate.of("""
            CASE WHEN {m}.name_key IS NOT NULL
                      AND (SELECT note.id FROM memory note
                            WHERE note.tenant_id = :tenant AND note.bank_id = b.id
                              AND note.name_key = {m}.name_key || '.md' AND note.deleted_at IS NULL) IS NULL
                 THEN {m}.name ELSE CAST({m}.id AS text) END
            """).with("m", memory).sql();
    }

    private static String lines(String title, String linked) {
        return SqlTemplate.of("""
            SELECT b.id AS bank_id, CAST(m.id AS text) AS id, l.place, l.revision, l.name, l.holds_name,
                   CASE WHEN {ahead} <= :room THEN l.text ELSE '' END AS text,
                   l.tags, author.name AS author, editor.name AS editor, l.source,
                   CAST(l.derived_from AS text[]) AS derived_from, CAST(l.supersedes AS text) AS supersedes, l.reason,
                   CAST(l.superseded_by AS text) AS superseded_by, l.superseded_at, l.expires_at, l.pinned, m.created_at,
                   l.updated_at, l.replaced_at,
                   CASE WHEN {ahead} <= :room THEN {title} END AS title,
                   CASE WHEN {ahead} <= :room THEN {linked} END AS linked, {ahead} > :room AS is_beyond
              FROM bank b CROSS JOIN LATERAL (
                       SELECT m.*, {superseder} AS superseder
                         FROM memory m
                        WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND m.deleted_at IS NULL
                          AND m.created_at >= COALESCE(CAST(:after AS timestamptz), '-infinity')
                          AND (CAST(:after AS timestamptz) IS NULL
                               OR (m.created_at, m.id) >= (CAST(:after AS timestamptz), CAST(:after_id AS uuid)))
                          AND {readable}
                        ORDER BY m.created_at, m.id
                        LIMIT :limit + 2) m
                   CROSS JOIN LATERAL (
                       SELECT CAST(0 AS bigint) AS place, m.revision, m.name, m.name_key IS NOT NULL AS holds_name, m.text,
                              m.tags, m.editor_id, m.source, m.derived_from, m.supersedes, m.reason,
                              m.superseder AS superseded_by,
                              CASE WHEN m.superseder IS NOT NULL THEN m.superseded_at END AS superseded_at, m.expires_at,
                              m.pinned, m.updated_at, CAST(NULL AS timestamptz) AS replaced_at
                       UNION ALL
                       (SELECT r.revision, r.revision, r.name, r.name_key IS NOT NULL, r.text, r.tags, r.editor_id, r.source,
                               r.derived_from, r.supersedes, r.reason, NULL, NULL, r.expires_at, r.pinned, r.stored_at,
                               r.replaced_at
                          FROM memory_revision r
                         WHERE :revisions AND r.tenant_id = :tenant AND r.bank_id = m.bank_id AND r.memory_id = m.id
                           AND NOT r.contributors && {censored}
                           AND (CAST(:after_id AS uuid) IS NULL OR m.id <> CAST(:after_id AS uuid) OR r.revision > :after_place)
                         ORDER BY r.revision
                         LIMIT :limit + 2)) l
                   CROSS JOIN LATERAL (SELECT x.name FROM party x
                                        WHERE x.tenant_id = :tenant AND x.id = m.author_id OFFSET 0) author
                   LEFT JOIN LATERAL (SELECT x.name FROM party x
                                       WHERE x.tenant_id = :tenant AND x.id = l.editor_id OFFSET 0) editor ON true
             WHERE b.tenant_id = :tenant AND b.name_key = :key AND {visible_bank}
               AND (CAST(:after_id AS uuid) IS NULL OR m.id <> CAST(:after_id AS uuid) OR l.place > :after_place)
             ORDER BY m.created_at, m.id, l.place
             LIMIT :limit + 1
            """)
                .with(
                        "ahead",
                        "sum(octet_length(l.text)) OVER (ORDER BY m.created_at, m.id, l.place) - octet_length(l.text)")
                .with("superseder", MemoryVisibility.superseder("m", MemoryVisibility.censored("b")))
                .with("readable", MemoryVisibility.readable("m", "b"))
                .with("censored", MemoryVisibility.censored("b"))
                .with("visible_bank", Visibility.bank("b"))
                .with("title", title)
                .with("linked", linked)
                .sql();
    }

    private static final String EXPORT = String.join(";\n", MemoryQueries.READ_BANK, LINES);

    private static final String EXPORT_LINKED = String.join(";\n", MemoryQueries.READ_BANK, LINKED_LINES);

    private static final String COUNT =
            SqlTemplate.of("""
            SELECT count(*) AS files
              FROM (SELECT 1
                      FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
                     WHERE b.tenant_id = :tenant AND b.name_key = :key AND m.deleted_at IS NULL AND {visible_bank}
                     LIMIT :most + 1) each
            """).with("visible_bank", Visibility.bank("b")).sql();

    /** How many files a folder may have: whoever writes a zip holds the list of them in memory. */
    private static final int MOST_FILES = 20_000;

    private final Db db;
    private final BankStore banks;

    public ExportQueries(Db db, BankStore banks) {
        this.db = db;
        this.banks = banks;
    }

    /** How an imported memory, or one of a document, is marked in the database. */
    public record StoredSource(
            String kind,
            String name,
            @Nullable Long version,
            @Nullable String position,
            @Nullable String editor,
            MemoryLine.@Nullable Loaded document,
            @Nullable ObjectNode origin) {
        public static final String IMPORT = "import";

        boolean isImport() {
            return kind.equals(IMPORT);
        }
    }

    /** A line, and the names of the memories that it refers to. */
    private record Placed(
            long bank, MemoryLine line, @Nullable String title, Map<String, String> linked, boolean isBeyond) {
        ExportedMemory exported() {
            return new ExportedMemory(line, Objects.requireNonNullElse(title, line.id()), linked);
        }

        /** @param place of its revision, after which the next page continues */
        String cursor(long place) {
            return Cursor.of(Long.toString(bank), line.createdAt().toString(), line.id(), Long.toString(place));
        }

        String cursor() {
            return cursor(line.replacedAt() == null ? 0 : line.revision());
        }
    }

    /**
     * Returns a page of the bank's lines, in one round trip.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem {@code not_found}, {@code not_permitted}
     */
    public ListSlice<MemoryLine> read(Call call, Name bank, boolean revisions, @Nullable Page page) {
        return read(call, bank, EXPORT, revisions, page, all -> {
            var shown = shown(all, Page.limit(page));
            var lines = call.budget().fit(shown.stream().map(Placed::line).toList());
            var cursor = lines.isEmpty() || lines.size() == all.size()
                    ? null
                    : shown.get(lines.size() - 1).cursor();
            return new ListSlice<>(lines, cursor);
        });
    }

    /**
     * Returns a page of the bank as parts of a file.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem {@code not_found}, {@code not_permitted}
     */
    public ListSlice<FilePart> file(Call call, Name bank, ExportFormat format, @Nullable Page page) {
        var keys = Page.after(page, 4);
        ListSlice<FilePart> found = read(call, bank, EXPORT_LINKED, false, page, all -> {
            // The memories have no former revisions here, so their place says whether the file has a memory before it.
            var hasBegun = place(keys) > 0;
            var shown = shown(all, Page.limit(page));
            var parts = new ArrayList<FilePart>();
            var ends = new ArrayList<Placed>();
            for (var each : shown) {
                var part = format.part(each.exported(), call.now());
                if (part.isPresent()) {
                    parts.add(hasBegun ? part.get().after(format.separator()) : part.get());
                    ends.add(each);
                    hasBegun = true;
                }
            }
            var fitting = new ArrayList<>(call.budget().fit(parts));
            var isWhole = fitting.size() == parts.size();
            var last = isWhole ? shown : ends.subList(0, fitting.size());
            var hasMore = !isWhole || shown.size() < all.size();
            if (keys.isEmpty()) {
                format.begin().ifPresent(begin -> fitting.add(0, begin));
            }
            if (!hasMore) {
                format.end().ifPresent(fitting::add);
            }
            return new ListSlice<>(fitting, hasMore ? last.getLast().cursor(hasBegun ? 1 : 0) : null);
        });
        if (format.isFolder() && keys.isEmpty() && found.nextCursor() != null) {
            requireFew(call, bank);
        }
        return found;
    }

    private void requireFew(Call call, Name bank) {
        var files = db.sql(call, COUNT)
                .set("key", bank.key())
                .set("most", MOST_FILES)
                .one(row -> row.number("files"))
                .orElseThrow();
        if (files > MOST_FILES) {
            throw Problem.invalid(
                    "format",
                    "markdown has at most %,d memories, and the bank has more: use another format"
                            .formatted(MOST_FILES));
        }
    }

    private <T> ListSlice<T> read(
            Call call,
            Name bank,
            String statement,
            boolean revisions,
            @Nullable Page page,
            Function<List<Placed>, ListSlice<T>> slice) {
        var keys = Page.after(page, 4);
        var after = ListPosition.of(keys.isEmpty() ? keys : keys.subList(0, 3));
        return db.sql(call, statement)
                .set("key", bank.key())
                .set("revisions", revisions)
                .set("after", after.at())
                .set("after_id", after.id())
                .set("after_place", place(keys))
                .set("limit", Page.limit(page))
                .all(results -> found(call, results, keys).map(slice))
                .orElseThrow(() -> banks.missing(call, bank));
    }

    /** Returns those of which there is room for the text. */
    private static List<Placed> shown(List<Placed> all, int limit) {
        return all.stream().limit(limit).takeWhile(each -> !each.isBeyond()).toList();
    }

    private static long place(List<String> keys) {
        try {
            return keys.isEmpty() ? 0 : Long.parseLong(keys.getLast());
        } catch (NumberFormatException e) {
            throw Cursor.invalid();
        }
    }

    private static Optional<List<Placed>> found(Call call, Statement.Results results, List<String> keys)
            throws SQLException {
        var bank = MemoryQueries.readBank(call, results);
        if (bank.isEmpty()) {
            return Optional.empty();
        }
        Cursor.requireSame(keys, bank.get().id());
        return Optional.of(results.list(ExportQueries::placed).stream()
                // Another bank may have got the name between the two statements.
                .filter(each -> each.bank() == bank.get().id())
                .toList());
    }

    @SuppressWarnings("unchecked") // The statement makes texts of both.
    private static Placed placed(Row row) throws SQLException {
        var linked = row.json("linked", Map.class);
        return new Placed(
                row.number("bank_id"),
                line(row),
                row.textOrNull("title"),
                linked == null ? Map.of() : linked,
                row.flag("is_beyond"));
    }

    private static MemoryLine line(Row row) throws SQLException {
        var source = row.json("source", StoredSource.class);
        var imported = source != null && source.isImport() ? source : null;
        var name = row.textOrNull("name");
        var origins = row.texts("derived_from");
        return new MemoryLine(
                row.text("id"),
                row.number("revision"),
                name == null ? null : MemoryName.of(name),
                name == null || row.flag("holds_name") ? null : false,
                row.text("text"),
                row.texts("tags"),
                imported == null ? row.text("author") : imported.name(),
                imported == null || imported.editor() == null ? row.textOrNull("editor") : imported.editor(),
                document(source),
                source == null ? null : source.origin(),
                origins.isEmpty() ? null : origins,
                row.textOrNull("supersedes"),
                row.textOrNull("reason"),
                row.textOrNull("superseded_by"),
                row.instantOrNull("superseded_at"),
                row.instantOrNull("expires_at"),
                row.flag("pinned") ? true : null,
                Objects.requireNonNull(row.instantOrNull("created_at")),
                Objects.requireNonNull(row.instantOrNull("updated_at")),
                row.instantOrNull("replaced_at"));
    }

    private static MemoryLine.@Nullable Loaded document(@Nullable StoredSource source) {
        return source == null
                ? null
                : source.isImport()
                        ? source.document()
                        : new MemoryLine.Loaded(source.name(), source.version(), source.position());
    }
}
