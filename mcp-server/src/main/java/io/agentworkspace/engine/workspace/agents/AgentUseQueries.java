package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.agents.AgentStore.LockedAgent;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what the calls of an agent amount to by day, in one statement. */
final class AgentUseQueries {
    private static final String READ = SqlTemplate.of("""
            WITH a AS (
                SELECT a.*
                  FROM agent a
                 WHERE a.tenant_id = :tenant
                   AND a.id = CASE WHEN CAST(:key AS text) IS NULL THEN :self
                                   ELSE (SELECT x.id FROM agent x
                                          WHERE x.tenant_id = :tenant AND x.name_key = :key
                                            AND x.destroyed_at IS NULL) END
                   AND {visible_agent})
            SELECT {agent},
                   (SELECT jsonb_agg(jsonb_build_object('day', u.day, 'calls', u.calls,
                                                        'in', u.characters_in, 'out', u.characters_out) ORDER BY u.day)
                      FROM agent_usage u
                     WHERE u.tenant_id = :tenant AND u.agent_id = a.id AND u.day > CAST(:since AS date)) AS daily
              FROM (VALUES (1)) one (row) LEFT JOIN a ON true
            """)
            .with("visible_agent", Visibility.agent("a"))
            .with("agent", AgentRow.COLUMNS)
            .sql();

    private final Db db;
    private final AgentStore agents;

    public AgentUseQueries(Db db, AgentStore agents) {
        this.db = db;
        this.agents = agents;
    }

    /** What the calls of a day amount to, in characters. */
    record OfDay(String day, long calls, long in, long out) {
        OfDay plus(OfDay other) {
            return new OfDay(day, calls + other.calls, in + other.in, out + other.out);
        }
    }

    /** An agent and the days on which it called a tool, oldest first. */
    record Usage(String agent, List<OfDay> daily) {}

    private record Found(@Nullable LockedAgent agent, List<OfDay> daily) {}

    /**
     * Reads the use of the named agent, else of self.
     *
     * @throws Problem {@code not_found}, {@code not_permitted}, {@code no_context}
     */
    Usage read(Call call, @Nullable Name name) {
        var found = db.sql(call, READ)
                .set("key", name == null ? null : name.key())
                .set(
                        "since",
                        AgentUseStore.today(call.now().minus(AgentUseStore.KEPT))
                                .toString())
                .one(AgentUseQueries::found)
                .orElseThrow();
        if (found.agent() == null) {
            throw agents.missing(call, AgentTools.nameOrSelf(call, name));
        }
        AccessCheck.require(AgentAccess.missing(call, found.agent()));
        return new Usage(found.agent().name(), found.daily());
    }

    private static Found found(Row row) throws SQLException {
        return row.numberOrNull("id") == null
                ? new Found(null, List.of())
                : new Found(AgentStore.agent(row), row.jsonList("daily", OfDay.class));
    }
}
