package io.agentworkspace.engine.mcp;

import java.util.List;

/** A client of the protocol that others made, which has a session with the engine. */
interface OfficialClient {
    /** What most can do, in this order. */
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

    /** The package that it is from. */
    String name();

    String version();

    /** How it was told to speak. */
    String mode();

    default List<String> steps() {
        return STEPS;
    }

    /** @param agent that it makes */
    Talk talk(String url, String key, String agent);
}
