package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.json.Json;
import tools.jackson.databind.node.ObjectNode;

/** A tool as MCP's {@code tools/list} shows it; the keys are spelled as MCP spells them. */
public final class ToolDescription {
    private ToolDescription() {}

    /** A new object at each call: name, title, description, inputSchema, outputSchema, annotations. */
    public static ObjectNode mcp(Tool<?, ?> tool) {
        var described = Json.object()
                .put("name", tool.name())
                .put("title", tool.title())
                .put("description", tool.description());
        described.set("inputSchema", tool.inputSchema().json());
        described.set("outputSchema", tool.outputSchema().deepCopy());
        described.set("annotations", annotations(tool));
        return described;
    }

    /** Hints: a tool that changes the caller's own context is not a read, since later calls depend on it. */
    private static ObjectNode annotations(Tool<?, ?> tool) {
        return Json.object()
                .put("title", tool.title())
                .put("readOnlyHint", tool.effect() == Effect.READS)
                .put("destructiveHint", tool.destructive())
                .put("idempotentHint", tool.idempotent())
                .put("openWorldHint", false);
    }
}
