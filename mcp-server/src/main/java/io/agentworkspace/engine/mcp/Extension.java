package io.agentworkspace.engine.mcp;

import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** An extension of the protocol: methods of its own, and settings that are declared beside the capabilities. */
public interface Extension {
    /** Such as {@code io.modelcontextprotocol/skills}. */
    String identifier();

    ObjectNode settings();

    Set<String> methods();

    /** The parameter that the header {@code Mcp-Name} repeats in requests of this method, or an empty text. */
    default String named(String method) {
        return "";
    }

    Outcome serve(String method, ObjectNode params, Turn turn);
}
