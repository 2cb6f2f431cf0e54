package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.model.tool.Caller;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Tools that the MCP endpoint serves. What it lists and what it runs depend on the caller, never on an earlier request. */
public interface ToolSource {
    /** What a request may name to limit itself; everything else that it names is refused. */
    default Names names(Caller caller) {
        return Names.NONE;
    }

    /**
     * Names of tools, and of the sets that they are in.
     *
     * @param toolsets in lower case
     */
    record Names(List<String> toolsets, List<String> tools) {
        static final Names NONE = new Names(List.of(), List.of());

        public Names {
            toolsets = List.copyOf(toolsets);
            tools = List.copyOf(tools);
        }
    }

    /** As {@code tools/list} shows them, in an order that stays. */
    List<ObjectNode> list(McpRequest request);

    /** The tool of this name as it is shown, if it is one of these. */
    Optional<ObjectNode> find(String name, McpRequest request);

    /** A call of the tool; empty when it is none of these, or the request may not use it. */
    Optional<ToolCall> call(String name, ObjectNode arguments, McpRequest request);
}
