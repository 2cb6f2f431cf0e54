package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** An extension of the protocol: its own methods, and settings that are declared beside the capabilities. */
public interface Extension {
    /** Returns the identifier, such as {@code io.modelcontextprotocol/skills}. */
    String identifier();

    ObjectNode settings();

    Set<String> methods();

    /** Returns the parameter that the header {@code Mcp-Name} repeats in requests of this method, or an empty text. */
    default String named(String method) {
        return "";
    }

    /**
     * Returns whether only clients of the stateless revisions that declare the extension may use it. Other clients are
     * refused for the missing capability, or do not find the methods at all.
     */
    default boolean isForDeclaringClients() {
        return false;
    }

    /** @throws Problem if the request cannot be carried out */
    MethodResult serve(String method, ObjectNode params, McpRequest request);
}
