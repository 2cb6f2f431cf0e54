package io.agentworkspace.engine.model.upstream;

import io.agentworkspace.engine.model.json.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What an MCP client sent besides the arguments of a call, for the installed server that the call is passed on to.
 *
 * @param meta its metadata, without what concerns only the exchange with this server
 * @param capabilities what the server may ask the client for
 * @param answers the client's answers to what the server asked, by the server's keys
 * @param state what the server stored when it asked; null if it asked nothing yet
 * @param rounds how often it has asked
 */
public record ClientInput(
        ObjectNode meta,
        ObjectNode capabilities,
        Map<String, ObjectNode> answers,
        @Nullable String state,
        int rounds) {
    /** The input of a call that no MCP client made. */
    public static final ClientInput NONE = new ClientInput(Json.object(), Json.object(), Map.of(), null, 0);
}
