package io.agentworkspace.engine.mcp.endpoint;

import java.util.List;

/** A third-party client of the protocol that holds a session with the engine. */
interface OfficialClient {
    /** The steps that most clients support, in this order. */
    List<String> STEPS = List.of(
            "connect",
            "tools",
            "read",
            "write",
            "refused",
            "resources",
            "skill",
            "agent",
            "told",
            "complete",
            "prompt");

    /** Returns the package of the client. */
    String name();

    String version();

    /** Returns the protocol mode that it was given. */
    String mode();

    default List<String> steps() {
        return STEPS;
    }

    /** @param agent the name of the agent that it creates */
    SessionTranscript talk(String url, String key, String agent);
}
