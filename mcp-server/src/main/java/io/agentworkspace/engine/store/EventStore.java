package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Json;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** What happened, written in the transaction of the change that it tells of, so that neither exists without the other. */
public final class EventStore {
    private final Db db;

    public EventStore(Db db) {
        this.db = db;
    }

    public void add(Call call, String type, ObjectNode data) {
        db.sql(call, """
                INSERT INTO event (tenant_id, id, type, created_at, data)
                VALUES (:tenant, :id, :type, :now, CAST(:data AS jsonb))
                """)
                .set("id", UUID.randomUUID())
                .set("type", type)
                .set("data", Json.text(data))
                .run();
    }
}
