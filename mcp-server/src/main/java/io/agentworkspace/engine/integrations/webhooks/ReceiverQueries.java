package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads webhook receivers: one statement each. */
final class ReceiverQueries {
    private static final String LIST =
            SqlTemplate.of("""
            SELECT jsonb_agg(p.record ORDER BY p.created_at DESC, p.id DESC) AS rows
              FROM (SELECT e.created_at, e.id, {endpoint_json} AS record
                      FROM webhook_endpoint e
                     WHERE e.tenant_id = :tenant AND e.deleted_at IS NULL AND e.events <> '{push}'
                       AND (CAST(:at AS timestamptz) IS NULL
                            OR (e.created_at, e.id) < (CAST(:at AS timestamptz), CAST(:after AS uuid)))
                     ORDER BY e.created_at DESC, e.id DESC
                     LIMIT :limit + 1) p
            """).with("endpoint_json", ReceiverRow.JSON).sql();

    private static final String READ =
            SqlTemplate.of("""
            SELECT (SELECT {endpoint_json}
                      FROM webhook_endpoint e
                     WHERE e.tenant_id = :tenant AND e.id = CAST(:id AS uuid) AND e.deleted_at IS NULL
                       AND e.events <> '{push}') AS record
            """).with("endpoint_json", ReceiverRow.JSON).sql();

    private final Db db;

    public ReceiverQueries(Db db) {
        this.db = db;
    }

    /** Returns the tenant's receivers, newest first. */
    ListSlice<ReceiverRow> list(Call call, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = ListPosition.of(page);
        var rows = db.sql(call, LIST)
                .set("since", call.now().minus(ReceiverRow.LOOKS_BACK))
                .set("at", after.at())
                .set("after", after.id())
                .set("limit", limit)
                .one(row -> row.jsonList("rows", ReceiverRow.class))
                .orElseThrow();
        return ListSlice.of(
                call,
                rows,
                limit,
                last -> Cursor.of(last.createdAt().toString(), last.id().toString()));
    }

    /** @throws Problem {@code not_found} */
    ReceiverRow read(Call call, String id) {
        return db.sql(call, READ)
                .set("id", id(id).orElse(null))
                .set("since", call.now().minus(ReceiverRow.LOOKS_BACK))
                .one(row -> Optional.ofNullable(row.json("record", ReceiverRow.class)))
                .orElseThrow()
                .orElseThrow(() -> missing(id));
    }

    /** Parses a receiver's id. Empty if the text is not a UUID. */
    static Optional<UUID> id(String text) {
        try {
            return Optional.of(UUID.fromString(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static Problem missing(String id) {
        return missing("endpoint", id);
    }

    static Problem missing(String kind, String id) {
        return Problem.notFound(kind, Name.shortened(id), List.of());
    }
}
