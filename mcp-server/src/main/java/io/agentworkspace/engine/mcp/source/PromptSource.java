package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.mcp.wire.CompletionArgument;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Prompts that the MCP endpoint serves. */
public interface PromptSource {
    /** As {@code prompts/list} shows them, in an order that stays. */
    List<ObjectNode> list(McpRequest request);

    /** The prompt's messages, or questions first; empty when it is none of these. */
    Optional<MethodResult> get(String name, ObjectNode arguments, McpRequest request);

    /** The values of an argument that begin with the given text; empty when the prompt is none of these. */
    Optional<List<String>> complete(String prompt, CompletionArgument completion, McpRequest request);
}
