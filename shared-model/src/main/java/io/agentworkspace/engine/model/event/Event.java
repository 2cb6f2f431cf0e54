package io.agentworkspace.engine.model.event;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * An event in the envelope in which it is delivered (contract, Events). {@code data} is valid against the schema of
 * the event's type.
 */
public record Event(
        @Doc("The same on every attempt: what a receiver recognises a repetition by.")
        UUID id,

        @Doc("Its type.") EventType type,
        @Doc("When it happened.") Instant createdAt,
        @Doc("What happened; the type says which fields.") ObjectNode data) {

    public Event {
        data = type.checked(data);
    }

    public static Event of(EventType type, Instant now, EventData data) {
        return new Event(UUID.randomUUID(), type, now, Json.tree(data));
    }
}
