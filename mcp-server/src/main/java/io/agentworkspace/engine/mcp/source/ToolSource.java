package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.model.tool.Caller;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Tools that the MCP endpoint serves. What a source lists and runs depends on the caller, never on an earlier request. */
public interface ToolSource {
    /** Returns the names that a request may use to limit itself. Other names are refused. */
    default Names names(Caller caller) {
        return Names.NONE;
    }

    /**
     * The names of tools and toolsets.
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

    /** Returns a text that differs where the tools of a tenant differ from those of others. */
    default String version(McpRequest request) {
        return "";
    }

    /** Returns the tools as {@code tools/list} shows them, in a stable order. */
    List<ObjectNode> list(McpRequest request);

    /** Returns the description of the tool with this name, if it is from this source. */
    Optional<ObjectNode> find(String name, McpRequest request);

    /** Returns a call of the tool. Empty if the tool is not from this source, or the request may not use it. */
    Optional<ToolCall> call(String name, ObjectNode arguments, McpRequest request);
}
