package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Resources that the MCP endpoint serves, each under a URI. */
public interface ResourceSource {
    /**
     * Returns the resources that the caller may see, as {@code resources/list} shows them, from the position of the cursor.
     *
     * @param limit the size of the page: it is full unless the list ends
     */
    ListPage list(@Nullable String cursor, int limit, McpRequest request);

    /** Returns the templates that the caller may use, as {@code resources/templates/list} shows them. */
    List<ObjectNode> templates(McpRequest request);

    /**
     * Returns the contents of a resource, or questions to ask first. Empty if it is not from this
     * source or hidden from the caller.
     */
    Optional<MethodResult> read(String uri, McpRequest request);

    /**
     * Returns the values of a template's variable that begin with the given text. Empty if the
     * template is not from this source.
     */
    Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest request);

    /**
     * Returns the one spelling of an address that may be spelt in several ways, or that has the same changes as another.
     * Empty if it is not from this source.
     */
    default Optional<String> canonical(String uri) {
        return Optional.empty();
    }

    /** Returns the change to subscribe to for this resource. Empty if it is not from this source or does not change. */
    default Optional<SubscribedChange> changes(String uri, McpRequest request) {
        return Optional.empty();
    }
}
