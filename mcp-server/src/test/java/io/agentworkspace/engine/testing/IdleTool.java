package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.tool.Tool;

/** A tool for tests of what lies below the tools: it is called something, and does nothing. */
public final class IdleTool {
    /** Neither its input nor its output has a field. */
    public record Nothing() {}

    private IdleTool() {}

    public static Tool<Nothing, Nothing> named(String name) {
        return Tool.named(name)
                .title(name)
                .description("Does nothing.")
                .needs(Capability.AGENT_READ)
                .handledBy(Nothing.class, Nothing.class, (_, _) -> new Nothing());
    }
}
