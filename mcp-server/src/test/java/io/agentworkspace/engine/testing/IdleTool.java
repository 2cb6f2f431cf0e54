package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.tool.Tool;

/** A tool that does nothing, for tests of the code below the tools. */
public final class IdleTool {
    /** Input and output without fields. */
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
