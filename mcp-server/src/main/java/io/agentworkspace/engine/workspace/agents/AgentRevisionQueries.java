package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.agents.AgentStore.LockedAgent;
import io.agentworkspace.engine.workspace.messages.TextSize;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what changes of an agent replaced, in one statement. */
final class AgentRevisionQueries {
    /** The bytes of a revision without its texts. */
    private static final int BESIDE_TEXTS = 1_500;

    /** The bytes of a response without its revisions. */
    private static final int BESIDE_REVISIONS = 40_000;

    private static final String LIST = SqlTemplate.of("""
            WITH a AS (
                SELECT a.*
                  FROM agent a
                 WHERE a.tenant_id = :tenant
                   AND a.id = CASE WHEN CAST(:key AS text) IS NULL THEN :self
                                   ELSE (SELECT x.id FROM agent x
                                          WHERE x.tenant_id = :tenant AND x.name_key = :key
                                            AND x.destroyed_at IS NULL) END
                   AND {visible_agent}),
            latest AS (
                SELECT r.*
                  FROM a JOIN agent_revision r ON r.tenant_id = :tenant AND r.agent_id = a.id
                 WHERE r.tenant_id = :tenant AND r.replaced_at > :kept AND r.revision < :before
                 ORDER BY r.revision DESC
                 LIMIT :limit + 1),
            weighed AS (
                SELECT r.*, row_number() OVER newest AS place,
                       sum({beside_texts} + {description_size} + {profile_size}) OVER newest AS weight
                  FROM latest r
                WINDOW newest AS (ORDER BY r.revision DESC)),
            page AS (
                SELECT * FROM weighed
                 WHERE place <= :limit AND (place = 1 OR weight <= :room - {beside_revisions}))
            SELECT {agent}, {more},
                   (SELECT jsonb_agg(jsonb_build_object(
                                         'revision', m.revision, 'name', m.name, 'description', m.description,
                                         'profile', m.profile, 'access', m.access,
                                         'replaced_by', (SELECT x.name FROM party x
                                                          WHERE x.tenant_id = :tenant AND x.id = m.editor_id),
                                         'stored_at', m.stored_at, 'replaced_at', m.replaced_at)
                                     ORDER BY m.revision DESC)
                      FROM page m) AS revisions
              FROM (VALUES (1)) one (row) LEFT JOIN a ON true
            """)
            .with("visible_agent", Visibility.agent("a"))
            .with("beside_texts", BESIDE_TEXTS)
            .with("beside_revisions", BESIDE_REVISIONS)
            .with("description_size", TextSize.of("r.description"))
            .with("profile_size", TextSize.of("r.profile"))
            .with("agent", AgentRow.COLUMNS)
            .with("more", TextSize.MORE)
            .sql();

    private final Db db;
    private final AgentStore agents;

    public AgentRevisionQueries(Db db, AgentStore agents) {
        this.db = db;
        this.agents = agents;
    }

    /** An agent, and the revisions that its latest changes replaced, newest first. */
    record AgentWithRevisions(Agent agent, ListSlice<AgentRevision> revisions) {}

    private record ReadResult(
            @Nullable LockedAgent agent, @Nullable AgentWithRevisions revisions) {}

    /**
     * Reads what changes of the named agent, else of self, replaced in the last 30 days.
     *
     * @throws Problem {@code not_found}, {@code not_permitted}, {@code no_context}
     */
    AgentWithRevisions list(Call call, @Nullable Name name, @Nullable Page page) {
        var keys = Page.after(page, 2);
        var result = db.sql(call, LIST)
                .set("key", name == null ? null : name.key())
                .set("kept", call.now().minus(AgentStore.KEPT))
                .set("before", before(keys))
                .set("limit", Page.limit(page))
                .one(row -> result(call, row))
                .orElseThrow();
        if (result.agent() == null) {
            throw agents.missing(call, AgentTools.nameOrSelf(call, name));
        }
        AccessCheck.require(AgentAccess.missing(call, result.agent()));
        Cursor.requireSame(keys, result.agent().id());
        return Objects.requireNonNull(result.revisions());
    }

    private static ReadResult result(Call call, Row row) throws SQLException {
        if (row.numberOrNull("id") == null) {
            return new ReadResult(null, null);
        }
        var agent = row.as(Agent.class);
        call.budget().spend(agent);
        var target = AgentStore.agent(row);
        var slice = ListSlice.of(
                call,
                row.jsonList("revisions", AgentRevision.class),
                row.flag("more"),
                last -> Cursor.of(Long.toString(target.id()), Long.toString(last.revision())));
        return new ReadResult(target, new AgentWithRevisions(agent, slice));
    }

    /** Returns the revision in the cursor, which is the oldest one shown. */
    private static long before(List<String> keys) {
        try {
            return keys.isEmpty() ? Long.MAX_VALUE : Long.parseLong(keys.getLast());
        } catch (NumberFormatException e) {
            throw Cursor.invalid();
        }
    }
}
