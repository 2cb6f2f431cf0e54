package io.agentworkspace.engine.kernel.events;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Writes events in the transaction of the change that they report. Their number in the feed is assigned later. */
public final class EventLog {
    /** The most events of one statement. */
    private static final int PORTION = 20;

    /** By how many events they write: each has its values, since Citus commits rows of a SELECT in two phases, which forbids notifications. */
    private static final List<String> INSERTS =
            IntStream.rangeClosed(1, PORTION).mapToObj(EventLog::insertOf).toList();

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
        var events = call.events();
        for (var from = 0; from < events.size(); from += PORTION) {
            insert(db, call.caller().tenant(), events.subList(from, Math.min(from + PORTION, events.size())), null)
                    .runLate();
        }
    }

    private static String insertOf(int events) {
        return IntStream.range(0, events)
                .mapToObj(
                        "(:tenant, :id%1$d, :type%1$d, :at%1$d, CAST(:data%1$d AS json), CAST(:not_to AS uuid))"
                                ::formatted)
                .collect(Collectors.joining(
                        ", ", "INSERT INTO event (tenant_id, id, type, created_at, data, not_to) VALUES ", ""));
    }

    /**
     * Returns the statement that writes an event.
     *
     * @param notTo a receiver that does not get it; null for none
     */
    public static Statement insert(Db db, long tenant, Event event, @Nullable UUID notTo) {
        return insert(db, tenant, List.of(event), notTo);
    }

    private static Statement insert(Db db, long tenant, List<Event> events, @Nullable UUID notTo) {
        var insert =
                db.sql(INSERTS.get(events.size() - 1)).set("tenant", tenant).set("not_to", notTo);
        for (var i = 0; i < events.size(); i++) {
            var event = events.get(i);
            insert.set("id" + i, event.id())
                    .set("type" + i, event.type().word())
                    .set("at" + i, event.createdAt())
                    .set("data" + i, Json.text(event.data()));
        }
        return insert;
    }
}
