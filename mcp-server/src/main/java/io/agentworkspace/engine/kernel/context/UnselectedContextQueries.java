package io.agentworkspace.engine.kernel.context;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context;
import java.sql.SQLException;

/**
 * The contexts in which neither an agent nor a domain is selected. They are read with a smaller statement, which needs no
 * rule of visibility and costs PostgreSQL a third. What is remembered here is only a hint: the statement itself says
 * if something is selected after all.
 */
public final class UnselectedContextQueries {
    private static final int REMEMBERED = 10_000;

    /** The columns of {@link ContextStore#WITH_CONTEXT}, and {@code is_selected}. No row if the caller's user is gone. */
    static final String COLUMNS = """
            w.id AS caller_id, w.role AS caller_role, w.id AS user_id, w.name AS user_name,
            s.id AS self_id, s.name AS self_name,
            CAST(NULL AS bigint) AS agent_id, CAST(NULL AS text) AS agent_name,
            CAST(NULL AS bigint) AS domain_id, CAST(NULL AS text) AS domain_name,
            CAST(NULL AS bigint) AS zone_id, CAST(NULL AS text) AS zone_name,
            """ + Unread.of("COALESCE(s.id, w.id)") + """
             AS unread,
            COALESCE(c.agent_id, c.domain_id) IS NOT NULL AS is_selected
            """;

    /** The join of the context {@code c} with the agent {@code s} that the principal is logged on as. A condition can follow. */
    static final String JOIN_SELF = """
            LEFT JOIN LATERAL (SELECT *
                                 FROM agent x
                                WHERE x.tenant_id = :tenant AND x.id = COALESCE(CAST(:bound AS bigint), c.self_id)
                               OFFSET 0) s ON s.destroyed_at IS NULL""";

    static final String ROWS = SqlTemplate.of("""
              FROM app_user w
              LEFT JOIN context c ON c.tenant_id = :tenant AND c.principal = :principal AND c.name = :context
              {join_self} AND (s.owner_id = w.id OR :admin)
             WHERE w.tenant_id = :tenant AND w.id = :caller AND w.removed_at IS NULL
            """).with("join_self", JOIN_SELF).sql();

    /** The whole statement. */
    public static final String SELECT = SqlTemplate.of("SELECT {columns} {rows}")
            .with("columns", COLUMNS)
            .with("rows", ROWS)
            .sql();

    private record Key(long tenant, String principal, String context) {}

    private final Cache<Key, Boolean> remembered =
            Caffeine.newBuilder().maximumSize(REMEMBERED).build();

    /** Returns whether the smaller statement probably suffices. It does not know users who are acted for. */
    public boolean has(Call call) {
        return call.actingFor() == null && remembered.getIfPresent(key(call)) != null;
    }

    /** Returns whether a row of the smaller statement suffices, and reads it into the call if so. */
    public boolean read(Call call, Row row) throws SQLException {
        if (row.flag("is_selected")) {
            forget(call);
            return false;
        }
        ContextStore.read(call, row);
        return true;
    }

    /** Reads the context from a row with {@code ctx.*}, and remembers whether something is selected. */
    public Context learned(Call call, Row row) throws SQLException {
        if (call.actingFor() == null && !row.flag("is_selected")) {
            remembered.put(key(call), true);
        }
        return ContextStore.read(call, row);
    }

    void forget(Call call) {
        remembered.invalidate(key(call));
    }

    private static Key key(Call call) {
        return new Key(call.caller().tenant(), call.caller().principal(), call.contextName());
    }
}
