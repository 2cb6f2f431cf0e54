package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.ListPosition;
import io.agentworkspace.engine.kernel.db.ListSlice;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads of keys: one statement each, including the context. */
final class KeyQueries {
    private static final String LIST = ContextStore.WITH_CONTEXT
            + SqlTemplate.of("""
            , page AS (
                SELECT k.*
                  FROM ctx JOIN api_key k ON k.tenant_id = :tenant
                 WHERE {managed} AND (CAST(:acting AS text) IS NULL OR k.user_id = ctx.user_id)
                   AND (CAST(:at AS timestamptz) IS NULL
                        OR (k.created_at, k.id) < (CAST(:at AS timestamptz), CAST(:after AS text)))
                 ORDER BY k.created_at DESC, k.id DESC
                 LIMIT :limit + 1)
            SELECT ctx.*, (SELECT jsonb_agg({key_json} ORDER BY k.created_at DESC, k.id DESC) FROM page k {key_joins}) AS rows
              FROM ctx
            """)
                    .with("managed", KeyRow.managed("k"))
                    .with("key_json", KeyRow.JSON)
                    .with("key_joins", KeyRow.JOINS)
                    .sql();

    private static final String READ = ContextStore.WITH_CONTEXT
            + SqlTemplate.of("""
            SELECT ctx.*,
                   (SELECT {key_json} FROM api_key k {key_joins} WHERE k.tenant_id = :tenant AND k.id = :id AND {managed}) AS record
              FROM ctx
            """)
                    .with("key_json", KeyRow.JSON)
                    .with("key_joins", KeyRow.JOINS)
                    .with("managed", KeyRow.managed("k"))
                    .sql();

    private static final String READ_USAGE = ContextStore.WITH_CONTEXT
            + SqlTemplate.of("""
            SELECT ctx.*,
                   (SELECT {key_json} FROM api_key k {key_joins} WHERE k.tenant_id = :tenant AND k.id = :id AND {managed}) AS record,
                   (SELECT jsonb_agg(to_jsonb(u) ORDER BY u.calls DESC, u.tool)
                      FROM (SELECT tool, sum(calls) AS calls, max(last_at) AS last_at
                              FROM key_usage
                             WHERE tenant_id = :tenant AND key_id = :id AND day > CAST(:since AS date)
                             GROUP BY tool) u) AS used,
                   (SELECT jsonb_agg(to_jsonb(u) ORDER BY u.day)
                      FROM (SELECT CAST(day AS text) AS day, sum(calls) AS calls
                              FROM key_usage
                             WHERE tenant_id = :tenant AND key_id = :id AND day > CAST(:since AS date)
                             GROUP BY day) u) AS daily
              FROM ctx
            """)
                    .with("key_json", KeyRow.JSON)
                    .with("key_joins", KeyRow.JOINS)
                    .with("managed", KeyRow.managed("k"))
                    .sql();

    private final Db db;

    public KeyQueries(Db db) {
        this.db = db;
    }

    /** Returns the keys that the caller may manage, newest first; with {@code target.user} those of that user. */
    ListSlice<Key> list(Call call, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = Page.after(page, 2);
        var statement = db.sql(call, LIST);
        var rows = KeyRow.managing(statement, call)
                .set("limit", limit)
                .set("at", after.isEmpty() ? null : ListPosition.time(after.get(0)))
                .set("after", after.isEmpty() ? null : after.get(1))
                .one(row -> {
                    ContextStore.read(call, row);
                    return row.jsonList("rows", KeyRow.class);
                })
                .orElseThrow();
        var slice = ListSlice.of(
                call, rows, limit, last -> Cursor.of(last.createdAt().toString(), last.id()));
        return new ListSlice<>(
                slice.rows().stream().map(row -> row.key(call.now())).toList(), slice.nextCursor());
    }

    /** @throws Problem {@code not_found} */
    Key read(Call call, String id) {
        var statement = db.sql(call, READ);
        return KeyRow.managing(statement, call)
                .set("id", id)
                .one(row -> {
                    ContextStore.read(call, row);
                    var key = row.json("record", KeyRow.class);
                    if (key == null) {
                        throw KeyChangeStore.missing(id);
                    }
                    return key.key(call.now());
                })
                .orElseThrow();
    }

    /** How often a tool was run with a key, and when last. */
    record ToolUse(String tool, long calls, Instant lastAt) {}

    /** How many tools were run with a key on a day. */
    record OfDay(String day, long calls) {}

    /** A key, and the tools that it has run since a given day, the most used first, and on each day. */
    record Usage(Key key, List<ToolUse> tools, List<OfDay> daily) {}

    /** @throws Problem {@code not_found} */
    Usage usage(Call call, String id) {
        var statement = db.sql(call, READ_USAGE);
        return KeyRow.managing(statement, call)
                .set("id", id)
                .set("since", KeyUse.today(call.now().minus(KeyUse.KEPT)).toString())
                .one(row -> {
                    ContextStore.read(call, row);
                    var key = row.json("record", KeyRow.class);
                    if (key == null) {
                        throw KeyChangeStore.missing(id);
                    }
                    return new Usage(
                            key.key(call.now()),
                            row.jsonList("used", ToolUse.class),
                            row.jsonList("daily", OfDay.class));
                })
                .orElseThrow();
    }
}
