package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.mcp.wire.Change;
import io.agentworkspace.engine.mcp.wire.CompletionArgument;
import io.agentworkspace.engine.mcp.wire.ListPage;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Resources that the MCP endpoint serves, each under a URI. */
public interface ResourceSource {
    /**
     * What the caller may see, as {@code resources/list} shows it, from where a cursor of this source points to.
     *
     * @param limit how many at most, and as many where there are so many
     */
    ListPage list(@Nullable String cursor, int limit, McpRequest request);

    /** As {@code resources/templates/list} shows them. */
    List<ObjectNode> templates();

    /** The contents of a resource, or questions first; empty when it is none of these or hidden from the caller. */
    Optional<MethodResult> read(String uri, McpRequest request);

    /** The values of a template's variable that begin with the given text; empty when the template is none of these. */
    Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest request);

    /** What is told when this resource changes; empty when it is none of these or does not change. */
    default Optional<Change> changes(String uri, McpRequest request) {
        return Optional.empty();
    }
}
