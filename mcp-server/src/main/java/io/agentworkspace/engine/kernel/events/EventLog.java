package io.agentworkspace.engine.kernel.events;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.node.ObjectNode;

/** Writes events in the transaction of the change that they report. Their number in the feed is assigned later. */
public final class EventLog {
    /** Takes {@code :events}, a JSON array with a {@link #row} for each. */
    public static final String INSERT = """
            INSERT INTO event (tenant_id, id, type, created_at, data, not_to)
            SELECT (e ->> 'tenant')::bigint, (e ->> 'id')::uuid, e ->> 'type', (e ->> 'created_at')::timestamptz, e -> 'data',
                   (e ->> 'not_to')::uuid
              FROM json_array_elements(CAST(:events AS json)) WITH ORDINALITY t (e, i)
             ORDER BY i
            """;

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /**
     * Calls the listener after each commit of events on this replica. The listener must return quickly, since a request waits.
     */
    public void onCommitted(Runnable listener) {
        listeners.add(listener);
    }

    /** Call this when a transaction that wrote events has committed. Other replicas find the events a little later. */
    public void committed() {
        listeners.forEach(Runnable::run);
    }

    /** Writes the call's events together with the last statement of its transaction. */
    public static void write(Db db, Call call) {
        if (!call.events().isEmpty()) {
            db.sql(call, INSERT)
                    .set("events", rows(call.caller().tenant(), call.events()))
                    .runLate();
        }
    }

    public static ObjectNode row(long tenant, Event event) {
        return Json.tree(event).put("tenant", tenant);
    }

    public static String rows(long tenant, Collection<Event> events) {
        return Json.text(events.stream().map(event -> row(tenant, event)).toList());
    }
}
