package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Prompts that the MCP endpoint serves. */
public interface PromptSource {
    /** Returns the prompts as {@code prompts/list} shows them, in a stable order. */
    List<ObjectNode> list(McpRequest request);

    /** Returns the prompt's messages, or questions to ask first. Empty if the prompt is not from this source. */
    Optional<MethodResult> get(String name, ObjectNode arguments, McpRequest request);

    /** Returns the values of an argument that begin with the given text. Empty if the prompt is not from this source. */
    Optional<List<String>> complete(String prompt, CompletionArgument completion, McpRequest request);
}
