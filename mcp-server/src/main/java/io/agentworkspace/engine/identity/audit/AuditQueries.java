package io.agentworkspace.engine.identity.audit;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads of the audit: one statement for a page, along the index for its filter. */
public final class AuditQueries {
    /** The record of an entry, of the row {@code a}. */
    public static final String RECORD = """
            (to_jsonb(a) - ARRAY['tenant_id', 'row_id', 'user_name', 'user_key', 'target_key']
                || jsonb_build_object('user', a.user_name))""";

    /** Matches all results except success. */
    static final String REFUSED = "refused";

    /**
     * A condition that the filter does not set is {@code TRUE} in the text, so that each combination is planned along its
     * own index. Entries contain names: an e-mail address finds the entries under its user's current name.
     */
    private static final String LIST =
            SqlTemplate.of("""
            WITH page AS (
                SELECT a.*
                  FROM audit a
                 WHERE a.tenant_id = :tenant
                   AND (NOT :by_name OR a.user_key = CAST(:user_key AS text))
                   AND (NOT :by_address
                        OR a.user_key = (SELECT u.name_key FROM app_user u
                                          WHERE u.tenant_id = :tenant AND u.id = (SELECT user_of_email(:tenant, :user_key))))
                   AND (NOT :by_tool OR a.tool = CAST(:tool AS text))
                   AND (NOT :by_target OR (a.target_kind = CAST(:kind AS text) AND a.target_key IN (CAST(:target AS text), CAST(:target_name AS text))))
                   AND (NOT :by_version OR (a.target_kind = 'document' AND a.target_id = :target))
                   AND (NOT :done OR a.result = 'done')
                   AND (NOT :refused OR a.result <> 'done')
                   AND (NOT :by_result OR a.result = CAST(:result AS text))
                   AND (NOT :since_given OR a.at >= CAST(:since AS timestamptz))
                   AND (NOT :until_given OR a.at < CAST(:until AS timestamptz))
                   AND (NOT :continued OR (a.at, a.row_id) < (CAST(:at AS timestamptz), CAST(:after AS uuid)))
                 ORDER BY a.at DESC, a.row_id DESC
                 LIMIT :limit + 1)
            SELECT (SELECT jsonb_agg(jsonb_build_object(
                               'row_id', a.row_id, 'entry', {record})
                           ORDER BY a.at DESC, a.row_id DESC) FROM page a) AS rows
            """).with("record", RECORD).sql();

    private final Db db;

    public AuditQueries(Db db) {
        this.db = db;
    }

    /** The filter; null matches everything. A target's name is its id if it is addressed by one. */
    record AuditFilter(
            @Nullable UserHandle user,
            @Nullable String tool,
            @Nullable AuditedThing target,
            @Nullable String result,
            @Nullable Instant since,
            @Nullable Instant until) {}

    /** A thing, by its kind and its name or id. */
    record AuditedThing(String kind, String name) {
        private static final Pattern UUID_FORM = Pattern.compile("(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

        /** Returns whether it is one version of a document, by its id. */
        boolean isVersion() {
            return AuditStore.isDocument(kind) && UUID_FORM.matcher(name).matches();
        }

        /** Returns the name, or the id as it is stored. */
        String stored() {
            return isVersion() ? name.toLowerCase(Locale.ROOT) : name;
        }
    }

    /** @param rowId distinguishes entries of the same instant */
    private record AuditRow(UUID rowId, AuditEntry entry) {}

    /** Returns the entries, newest first. */
    ListSlice<AuditEntry> list(Call call, AuditFilter filter, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = ListPosition.of(page);
        var user = filter.user();
        var result = filter.result();
        var done = AuditEntry.DONE.equals(result);
        var found = db.sql(call, LIST)
                .set("by_name", user != null && !user.isAddress())
                .set("by_address", user != null && user.isAddress())
                .set("by_tool", filter.tool() != null)
                .set("by_target", filter.target() != null && !filter.target().isVersion())
                .set("by_version", filter.target() != null && filter.target().isVersion())
                .set("done", done)
                .set("refused", result != null && !done)
                .set("by_result", result != null && !done && !REFUSED.equals(result))
                .set("since_given", filter.since() != null)
                .set("until_given", filter.until() != null)
                .set("continued", after.at() != null)
                .set("user_key", user == null ? null : user.key())
                .set("tool", filter.tool())
                .set("kind", filter.target() == null ? null : filter.target().kind())
                .set("target", filter.target() == null ? null : filter.target().stored())
                .set(
                        "target_name",
                        filter.target() == null
                                ? null
                                : Name.key(filter.target().name()))
                .set("result", result)
                .set("since", filter.since())
                .set("until", filter.until())
                .set("at", after.at())
                .set("after", after.id())
                .set("limit", limit)
                .one(row -> row.jsonList("rows", AuditRow.class))
                .orElseThrow();
        var slice = ListSlice.of(
                call,
                found,
                limit,
                last -> Cursor.of(last.entry().at().toString(), last.rowId().toString()));
        return new ListSlice<>(slice.rows().stream().map(AuditRow::entry).toList(), slice.nextCursor());
    }
}
