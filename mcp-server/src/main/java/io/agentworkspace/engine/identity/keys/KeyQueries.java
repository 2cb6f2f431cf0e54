package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads of keys: one statement each. */
final class KeyQueries {
    private static final String LIST = SqlTemplate.of("""
            WITH page AS (
                SELECT k.*
                  FROM api_key k
                 WHERE k.tenant_id = :tenant AND {managed} AND (CAST(:acting AS text) IS NULL OR k.user_id = :user)
                   AND (CAST(:at AS timestamptz) IS NULL
                        OR (k.created_at, k.id) < (CAST(:at AS timestamptz), CAST(:after AS text)))
                 ORDER BY k.created_at DESC, k.id DESC
                 LIMIT :limit + 1)
            SELECT (SELECT jsonb_agg({key_json} ORDER BY k.created_at DESC, k.id DESC) FROM page k {key_joins}) AS rows
            """)
            .with("managed", KeyRow.managed("k"))
            .with("key_json", KeyRow.JSON)
            .with("key_joins", KeyRow.JOINS)
            .sql();

    private static final String READ = SqlTemplate.of("""
            SELECT (SELECT {key_json} FROM api_key k {key_joins} WHERE k.tenant_id = :tenant AND k.id = :id AND {managed}) AS record
            """)
            .with("key_json", KeyRow.JSON)
            .with("key_joins", KeyRow.JOINS)
            .with("managed", KeyRow.managed("k"))
            .sql();

    private static final String READ_USAGE = SqlTemplate.of("""
            SELECT (SELECT {key_json} FROM api_key k {key_joins} WHERE k.tenant_id = :tenant AND k.id = :id AND {managed}) AS record,
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
                .one(row -> row.jsonList("rows", KeyRow.class))
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
