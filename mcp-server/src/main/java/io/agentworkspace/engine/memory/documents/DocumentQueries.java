package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads documents: one statement each. Everybody in the tenant sees all of them. */
final class DocumentQueries {
    private static final String LIST = "WITH " + DocumentRow.QUEUE
            + SqlTemplate.of("""
            , page AS (
                SELECT d.*
                  FROM document d
                 WHERE d.tenant_id = :tenant
                   AND (CAST(:state AS text) IS NULL OR d.state = :state)
                   AND (CAST(:name AS text) IS NULL OR d.name_key = :name)
                   AND (CAST(:prefix AS text) IS NULL OR starts_with(d.name_key, :prefix))
                   AND (CAST(:origin AS text) IS NULL OR d.origin = :origin)
                   AND (NOT :newest OR d.version = (SELECT max(n.version) FROM document n
                                                     WHERE n.tenant_id = :tenant AND n.name_key = d.name_key))
                   AND d.created_at <= COALESCE(CAST(:before AS timestamptz), 'infinity')
                   AND (CAST(:before AS timestamptz) IS NULL
                        OR (d.created_at, d.id) < (CAST(:before AS timestamptz), CAST(:before_id AS uuid)))
                 ORDER BY d.created_at DESC, d.id DESC
                 LIMIT :limit + 1)
            SELECT (SELECT json_agg({document_json} ORDER BY d.created_at DESC, d.id DESC) FROM page d {join_queue}) AS rows
            """)
                    .with("document_json", DocumentRow.JSON)
                    .with("join_queue", DocumentRow.JOIN)
                    .sql();

    private static final String FOUND = """
            found AS (
                SELECT d.*
                  FROM document d
                 WHERE d.tenant_id = :tenant
                   AND (d.id = CAST(:id AS uuid) OR d.name_key = :key)
                   AND (CAST(:version AS bigint) IS NULL OR d.version = :version)
                 ORDER BY d.id = CAST(:id AS uuid) DESC NULLS LAST, :accepted AND d.state = 'accepted' DESC, d.version DESC
                 LIMIT 1)
            """;

    private static final String READ = "WITH " + DocumentRow.QUEUE + ", " + FOUND
            + SqlTemplate.of("""
            , texts AS (
                SELECT p.n, p.blocks,
                       sum(octet_length(p.blocks)) OVER (ORDER BY p.n) - octet_length(p.blocks) AS ahead,
                       lead(p.n) OVER (ORDER BY p.n) AS next
                  FROM found d JOIN document_part p ON p.tenant_id = :tenant AND p.document_id = d.id
                 WHERE :text AND d.state = 'accepted' AND p.n >= :from)
            SELECT (SELECT {document_json} FROM found d {join_queue}) AS record,
                   (SELECT json_agg(t.blocks ORDER BY t.n) FROM texts t WHERE t.ahead <= :room / 4) AS parts,
                   (SELECT min(t.n) FROM texts t WHERE t.ahead > :room / 4) AS next,
                   (SELECT json_agg(x.name) FROM (SELECT DISTINCT n.name FROM document n WHERE n.tenant_id = :tenant
                                                   ORDER BY n.name LIMIT 2000) x WHERE NOT EXISTS (SELECT 1 FROM found)) AS names
            """)
                    .with("document_json", DocumentRow.JSON)
                    .with("join_queue", DocumentRow.JOIN)
                    .sql();

    private static final String READ_QUEUE = "WITH " + DocumentRow.QUEUE
            + SqlTemplate.of("""
            , page AS (
                SELECT d.*
                  FROM document d
                 WHERE d.tenant_id = :tenant AND d.state IN ('queued', 'validating')
                   AND (CAST(:at AS timestamptz) IS NULL
                        OR (d.queued_at, d.id) > (CAST(:at AS timestamptz), CAST(:after AS uuid)))
                 ORDER BY d.queued_at, d.id
                 LIMIT :limit + 1)
            SELECT (SELECT json_agg({document_json} ORDER BY d.queued_at, d.id) FROM page d {join_queue}) AS rows,
                   (SELECT json_agg(to_jsonb(d.queued_at) ORDER BY d.queued_at, d.id) FROM page d) AS times,
                   (SELECT count(*) FROM waiting w WHERE w.tenant_id = :tenant) AS waiting,
                   (SELECT count(*) FROM document v
                     WHERE v.tenant_id = :tenant AND v.state = 'validating' AND v.lease_until >= now()) AS validating
            """)
                    .with("document_json", DocumentRow.JSON)
                    .with("join_queue", DocumentRow.JOIN)
                    .sql();

    private final Db db;

    public DocumentQueries(Db db) {
        this.db = db;
    }

    /**
     * Selects the documents of a list.
     *
     * @param prefix how the name begins
     * @param newest whether to list only the newest version of each name
     */
    record DocumentFilter(
            @Nullable DocumentState state,
            @Nullable String name,
            @Nullable String prefix,
            @Nullable String origin,
            boolean newest) {}

    /** Returns the tenant's documents, newest first. */
    ListSlice<Document> list(Call call, DocumentFilter filter, @Nullable Page page) {
        var before = ListPosition.of(page);
        var limit = Page.limit(page);
        var rows = db.sql(call, LIST)
                .set("state", filter.state() == null ? null : filter.state().word())
                .set("name", key(filter.name()))
                .set("prefix", key(filter.prefix()))
                .set("origin", filter.origin())
                .set("newest", filter.newest())
                .set("before", before.at())
                .set("before_id", before.id())
                .set("limit", limit)
                .one(row -> row.jsonList("rows", Document.class))
                .orElseThrow();
        return ListSlice.of(
                call, rows, limit, last -> Cursor.of(last.createdAt().toString(), last.id()));
    }

    private static @Nullable String key(@Nullable String name) {
        return name == null ? null : Name.key(Name.normal(name));
    }

    /**
     * Selects a document: by the id of a version; or by its name the newest, the newest accepted, or a given version.
     *
     * @param accepted whether to select the newest accepted version rather than the newest
     */
    record VersionSelection(String text, @Nullable Long version, boolean accepted) {
        static VersionSelection version(String text) {
            return new VersionSelection(text, null, false);
        }

        Optional<UUID> id() {
            return DocumentQueries.id(text);
        }
    }

    private static Optional<UUID> id(String text) {
        try {
            return text.length() == 36 ? Optional.of(UUID.fromString(text)) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * A document, and a part of its text if requested.
     *
     * @param parts blocks in JSON
     * @param next the number of the following part; null at the end
     */
    record DocumentDetails(
            Document document, List<String> parts, @Nullable Long next) {}

    /**
     * @param from the number of the first part of the text; null for no text
     * @throws Problem {@code not_found}
     */
    DocumentDetails read(Call call, VersionSelection selection, @Nullable Integer from) {
        return db.sql(call, READ)
                .set("id", selection.id().orElse(null))
                .set("key", Name.key(Name.normal(selection.text())))
                .set("version", selection.version())
                .set("accepted", selection.accepted())
                .set("text", from != null)
                .set("from", from == null ? 0 : from)
                .one(row -> {
                    var document = row.json("record", Document.class);
                    if (document == null) {
                        throw missing(selection, row.jsonList("names", String.class));
                    }
                    return new DocumentDetails(document, row.jsonList("parts", String.class), row.numberOrNull("next"));
                })
                .orElseThrow();
    }

    private static Problem missing(VersionSelection selection, List<String> names) {
        var what = Name.shortened(selection.text());
        return selection.version() == null
                ? Problem.notFound("document", what, Near.nearest(selection.text(), names, 2))
                : Problem.notFound("document", "%s, version %d".formatted(what, selection.version()), List.of());
    }

    /** The tenant's documents that wait or are being validated. */
    record Queue(ListSlice<Document> documents, long waiting, long validating) {}

    Queue queue(Call call, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = ListPosition.of(page);
        return db.sql(call, READ_QUEUE)
                .set("at", after.at())
                .set("after", after.id())
                .set("limit", limit)
                .one(row -> {
                    var rows = row.jsonList("rows", Document.class);
                    var times = row.jsonList("times", String.class);
                    var slice = ListSlice.of(
                            call, rows, limit, last -> Cursor.of(times.get(rows.indexOf(last)), last.id()));
                    return new Queue(slice, row.number("waiting"), row.number("validating"));
                })
                .orElseThrow();
    }
}
