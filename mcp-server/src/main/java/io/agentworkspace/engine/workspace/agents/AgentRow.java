package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.agent.Agent;

/** The columns of an agent {@code a}, and the record made of them: a new field is added here and to {@link Agent}. */
public final class AgentRow {
    /** The columns without the persona. */
    static final String COLUMNS = columns("CAST(NULL AS text)", "char_length(a.profile)");

    /** The columns with the persona. */
    static final String COLUMNS_WITH_PROFILE = columns("a.profile", "CAST(NULL AS integer)");

    /** The columns without the persona as a JSON object. */
    public static final String JSON =
            "(SELECT to_jsonb(r) - ARRAY['id', 'owner_id', 'owner_name', 'parent_id', 'truncated', 'length'] || jsonb_build_object('owner', r.owner_name) FROM (SELECT "
                    + COLUMNS + ") r)";

    private AgentRow() {}

    private static String columns(String profile, String profileLength) {
        return SqlTemplate.of("""
                a.id, a.owner_id, a.parent_id, a.name, a.description, {whole}, a.access, a.revision, a.created_at, a.updated_at,
                (SELECT p.name FROM agent p WHERE p.tenant_id = :tenant AND p.id = a.parent_id) AS parent,
                {profile} AS profile, {profile_length} AS profile_length,
                (SELECT o.name FROM app_user o WHERE o.tenant_id = :tenant AND o.id = a.owner_id) AS owner_name,
                ARRAY(SELECT i.skill FROM skill_install i
                       WHERE i.tenant_id = :tenant AND i.agent_id = a.id
                       ORDER BY i.skill COLLATE "C") AS skills,
                {online} AS online,
                (SELECT true FROM agent_remote e WHERE e.tenant_id = :tenant AND e.agent_id = a.id) AS elsewhere
                """)
                .with("whole", SqlTemplate.WHOLE)
                .with("profile", profile)
                .with("profile_length", profileLength)
                .with("online", ContextStore.online("a"))
                .sql();
    }
}
