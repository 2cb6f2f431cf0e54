package io.agentworkspace.engine.events;

import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.json.Json;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.node.ObjectNode;

/** The log of events. Each is written in the transaction of what it tells of; its place in the feed is given afterwards. */
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

    /** Calls whenever events were committed here; quickly, since a request waits. */
    public void onCommitted(Runnable listener) {
        listeners.add(listener);
    }

    /** To be said once a transaction that wrote events is committed; others find them a little later by themselves. */
    public void committed() {
        listeners.forEach(Runnable::run);
    }

    public static ObjectNode row(long tenant, Event event) {
        return Json.tree(event).put("tenant", tenant);
    }

    public static String rows(long tenant, Collection<Event> events) {
        return Json.text(events.stream().map(event -> row(tenant, event)).toList());
    }
}
