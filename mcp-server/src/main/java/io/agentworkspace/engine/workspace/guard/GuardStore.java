package io.agentworkspace.engine.workspace.guard;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Sets the loop guard of an agent's direct messages, or of a domain's zones, and takes messages from what it allows beyond
 * its limits. What the guard had refused there is then dealt with.
 */
public final class GuardStore {
    /**
     * The agent, and with an incident the agents in it that the caller may change, too; after its end, those that were stopped or
     * allowed more because of it.
     */
    private static final String AGENTS = """
            SELECT a.*
              FROM agent a
             WHERE a.tenant_id = :tenant
               AND (a.id = :id
                    OR ((a.owner_id = CAST(:user AS bigint) OR :admin) AND a.destroyed_at IS NULL
                        AND (a.guard_incident = CAST(:incident AS bigint)
                             OR a.id IN (SELECT unnest(ARRAY[g.agent_id, g.place_id])
                                           FROM guard_stop g
                                          WHERE g.tenant_id = :tenant AND g.incident = CAST(:incident AS bigint)
                                            AND NOT g.is_zone))))
             ORDER BY a.id
               FOR NO KEY UPDATE
            """;

    private static final String OF_AGENT =
            change("agent", AGENTS, "NOT g.is_zone AND (g.agent_id = old.id OR g.place_id = old.id)", """
            , guard_incident = CASE WHEN CAST(:more AS integer) IS NULL AND CAST(:stopped AS boolean) IS NOT TRUE THEN x.guard_incident
                                    WHEN x.guard_incident = CAST(:incident AS bigint)
                                         OR EXISTS (SELECT FROM guard_stop g
                                                     WHERE g.tenant_id = :tenant AND g.incident = CAST(:incident AS bigint)
                                                       AND NOT g.is_zone AND x.id IN (g.agent_id, g.place_id))
                                    THEN CAST(:incident AS bigint) END""");

    private static final String OF_DOMAIN =
            change("domain", "SELECT d.* FROM domain d WHERE d.tenant_id = :tenant AND d.id = :id", """
            g.is_zone AND g.place_id IN (SELECT z.conversation_id FROM zone z
                                          WHERE z.tenant_id = :tenant AND z.domain_id = old.id)""", "");

    /** Takes a message from what is left to both agents, and to those that have it in common with them. */
    private static final String USE_OF_AGENTS = """
            UPDATE agent x
               SET guard_more = x.guard_more - 1
             WHERE x.tenant_id = :tenant
               AND x.id IN (SELECT a.id
                              FROM agent a
                             WHERE a.tenant_id = :tenant AND a.guard_more > 0
                               AND (a.id IN (CAST(:speaker AS bigint), CAST(:other AS bigint))
                                    OR a.guard_incident IN (SELECT p.guard_incident
                                                              FROM agent p
                                                             WHERE p.tenant_id = :tenant AND p.guard_more > 0
                                                               AND p.id IN (CAST(:speaker AS bigint), CAST(:other AS bigint))))
                             ORDER BY a.id
                               FOR NO KEY UPDATE)
            RETURNING x.id
            """;

    private static final String USE_OF_DOMAIN = """
            UPDATE domain x
               SET guard_more = x.guard_more - 1
              FROM zone z
             WHERE z.tenant_id = :tenant AND z.conversation_id = :conversation
               AND x.tenant_id = :tenant AND x.id = z.domain_id AND x.guard_more > 0
            RETURNING x.id
            """;

    private final Db db;
    private final GuardStopStore stops;

    public GuardStore(Db db) {
        this.db = db;
        this.stops = new GuardStopStore(db);
    }

    /** Returns the columns of the guard of an agent or a domain. */
    public static String columns(String alias) {
        return SqlTemplate.of("""
                {x}.guard_hops, {x}.guard_per_minute, NULLIF({x}.guard_more, 0) AS guard_more,
                NULLIF({x}.guard_stopped, false) AS guard_stopped""").with("x", alias).sql();
    }

    /** Returns an expression for the limits as JSON. */
    public static String limits(String alias) {
        return SqlTemplate.of("jsonb_build_object('hops', {x}.guard_hops, 'per_minute', {x}.guard_per_minute)")
                .with("x", alias)
                .sql();
    }

    public static GuardLimits read(Row row) throws SQLException {
        return row.as("guard_", GuardLimits.class);
    }

    private static String change(String table, String chosen, String over, String more) {
        return SqlTemplate.of("""
                WITH old AS ({chosen}),
                     over AS (DELETE FROM guard_stop g USING old WHERE g.tenant_id = :tenant AND {over})
                UPDATE {table} x
                   SET guard_hops = COALESCE(CAST(:hops AS integer), x.guard_hops),
                       guard_per_minute = COALESCE(CAST(:per_minute AS integer), x.guard_per_minute),
                       guard_more = CASE WHEN CAST(:stopped AS boolean) THEN 0
                                         ELSE COALESCE(CAST(:more AS integer), x.guard_more) END,
                       guard_stopped = COALESCE(CAST(:stopped AS boolean),
                                                x.guard_stopped AND COALESCE(CAST(:more AS integer), 0) = 0){more}
                  FROM old
                 WHERE x.tenant_id = :tenant AND x.id = old.id
                RETURNING x.id, {columns},
                          (x.guard_hops, x.guard_per_minute, x.guard_more, x.guard_stopped)
                          IS DISTINCT FROM (old.guard_hops, old.guard_per_minute, old.guard_more, old.guard_stopped) AS changed
                """)
                .with("chosen", chosen)
                .with("over", over)
                .with("more", more)
                .with("columns", columns("x"))
                .with("table", table)
                .sql();
    }

    /** The guard as it is now, and whether the call changed one. */
    public record Changed(GuardLimits guard, boolean isChanged) {}

    private record ChangedRow(long id, GuardLimits guard, boolean isChanged) {}

    /**
     * Sets the guard of an agent that the transaction has locked.
     *
     * @param incident the guard of all agents in this incident that the caller may change is set, too
     */
    public Changed ofAgent(Call call, long agent, GuardLimits guard, @Nullable Long incident) {
        return set(call, OF_AGENT, agent, guard, incident);
    }

    /** Sets the guard of a domain that the transaction has locked. */
    public Changed ofDomain(Call call, long domain, GuardLimits guard) {
        return set(call, OF_DOMAIN, domain, guard, null);
    }

    private Changed set(Call call, String statement, long id, GuardLimits guard, @Nullable Long incident) {
        if (guard.namesNothing()) {
            throw Problem.missing("guard.hops");
        }
        if (Boolean.TRUE.equals(guard.stopped()) && guard.more() != null && guard.more() > 0) {
            throw Problem.invalid("guard", "cannot both stop agents and allow them more: send stopped or more");
        }
        var rows = db.sql(call, statement)
                .set("id", id)
                .set("hops", guard.hops())
                .set("per_minute", guard.perMinute())
                .set("more", guard.more())
                .set("stopped", guard.stopped())
                .set("incident", incident)
                .list(row -> new ChangedRow(row.number("id"), read(row), row.flag("changed")));
        var own = rows.stream().filter(row -> row.id() == id).findFirst().orElseThrow();
        return new Changed(own.guard(), rows.stream().anyMatch(ChangedRow::isChanged));
    }

    /**
     * Returns what is stored with a message of the speaker. One that exceeds the limits is taken from what is allowed beyond them.
     *
     * @throws Problem {@code conflict} with the reason, if nothing is left of that
     */
    public Lineage lineage(Call call, LoopGuard guard) {
        if (call.isByPerson()) {
            return guard.ofPerson();
        }
        var self = call.context().self();
        try {
            return self == null ? guard.ofProgram() : guard.ofAgent();
        } catch (Problem stop) {
            if (!stop.beside().containsKey("retry_at")) {
                throw stop; // Somebody has stopped the agents, and knows it.
            } else if (use(call, guard)) {
                return lineage(call, guard.exempt());
            } else if (self != null) {
                call.whenRefused(() -> stops.put(call, self, guard, stop));
            }
            throw stop;
        }
    }

    /** Takes a message from what is allowed beyond the limits; false if nothing is left. */
    private boolean use(Call call, LoopGuard guard) {
        var statement = guard.isZone()
                ? db.sql(call, USE_OF_DOMAIN)
                        .sameAccess()
                        .set("conversation", guard.place().conversation())
                : db.sql(call, USE_OF_AGENTS)
                        .sameAccess()
                        .set("speaker", call.context().speaker().id())
                        .set("other", guard.other());
        return !statement.list(row -> row.number("id")).isEmpty();
    }
}
