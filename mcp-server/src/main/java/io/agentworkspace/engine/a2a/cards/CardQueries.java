package io.agentworkspace.engine.a2a.cards;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Reads what the card of a public agent shows to strangers. */
final class CardQueries {
    private static final String AGENT = """
        SELECT a.name, a.description
          FROM tenant t
          JOIN agent a ON a.tenant_id = t.tenant_id
          LEFT JOIN agent_remote r ON r.tenant_id = a.tenant_id AND r.agent_id = a.id
         WHERE t.name_key = :tenant_key AND a.name_key = :agent_key AND a.access = 'public' AND a.destroyed_at IS NULL
           AND r.agent_id IS NULL
        """;

    private final Db db;

    CardQueries(Db db) {
        this.db = db;
    }

    Optional<ObjectNode> find(String tenant, String agent) {
        return db.sql(AGENT)
                .set("tenant_key", Name.key(tenant))
                .set("agent_key", Name.key(agent))
                .one(row -> Json.object().put("name", row.text("name")).put("description", row.text("description")));
    }
}
