package io.agentworkspace.engine.identity.rules;

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

/** Reads rules: one statement each. */
final class RuleQueries {
    private static final String LIST =
            SqlTemplate.of("""
            WITH page AS (
                SELECT r.*
                  FROM rule r
                 WHERE r.tenant_id = :tenant
                   AND (CAST(:at AS timestamptz) IS NULL
                        OR (r.created_at, r.id) < (CAST(:at AS timestamptz), CAST(:after AS uuid)))
                 ORDER BY r.created_at DESC, r.id DESC
                 LIMIT :limit + 1)
            SELECT (SELECT jsonb_agg({rule_json} ORDER BY r.created_at DESC, r.id DESC) FROM page r) AS rows
            """).with("rule_json", RuleRow.JSON).sql();

    private static final String READ =
            SqlTemplate.of("""
            SELECT (SELECT {rule_json} FROM rule r
                            WHERE r.tenant_id = :tenant AND (r.id = CAST(:id AS uuid) OR r.name_key = CAST(:key AS text))
                            ORDER BY r.id = :id DESC NULLS LAST
                            LIMIT 1) AS record
            """).with("rule_json", RuleRow.JSON).sql();

    private final Db db;

    RuleQueries(Db db) {
        this.db = db;
    }

    /** Returns the tenant's rules, newest first. */
    ListSlice<Rule> list(Call call, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = ListPosition.of(page);
        var rows = db.sql(call, LIST)
                .set("at", after.at())
                .set("after", after.id())
                .set("limit", limit)
                .one(row -> row.jsonList("rows", Rule.class))
                .orElseThrow();
        return ListSlice.of(
                call,
                rows,
                limit,
                last -> Cursor.of(last.createdAt().toString(), last.id().toString()));
    }

    /**
     * Returns the rule with this id or name; with null only the context is read.
     *
     * @throws Problem {@code not_found}
     */
    Optional<Rule> read(Call call, @Nullable String handle) {
        var found = db.sql(call, READ)
                .set("id", handle == null ? null : id(handle).orElse(null))
                .set("key", handle == null ? null : Name.key(Name.normal(handle)))
                .one(row -> Optional.ofNullable(row.json("record", Rule.class)))
                .orElseThrow();
        if (handle != null && found.isEmpty()) {
            throw missing(handle);
        }
        return found;
    }

    /** Parses a rule's id. Empty if the text is not a UUID. */
    static Optional<UUID> id(String text) {
        try {
            return Optional.of(UUID.fromString(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static Problem missing(String id) {
        return Problem.notFound("rule", Name.shortened(id), List.of());
    }
}
