package io.agentworkspace.engine.a2a.tasks;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * The conversation of a caller with an agent.
 *
 * @param speaker the agent or user that the caller speaks as
 * @param speakerKind agent or user
 * @param speakerName its name
 * @param agent the agent
 * @param record the agent as AP_Read shows it
 */
public record AgentPlace(
        long tenant, long speaker, String speakerKind, String speakerName, long agent, ObjectNode record) {
    /** Returns the agent's name, as it is written. */
    public String name() {
        return record.path("name").asString("");
    }

    /** Returns the id of the conversation. It is the same each time, and says nothing of who speaks. */
    public String contextId() {
        var text = "a2a %d %d %d".formatted(tenant, speaker, agent);
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.US_ASCII)).toString();
    }
}
