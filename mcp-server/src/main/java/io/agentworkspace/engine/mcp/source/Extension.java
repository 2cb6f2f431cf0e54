package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.mcp.wire.MethodResult;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** An extension of the protocol: methods of its own, and settings that are declared beside the capabilities. */
public interface Extension {
    /** Such as {@code io.modelcontextprotocol/skills}. */
    String identifier();

    ObjectNode settings();

    Set<String> methods();

    /** The parameter that the header {@code Mcp-Name} repeats in requests of this method, or an empty text. */
    default String named(String method) {
        return "";
    }

    /**
     * Whether only clients of the stateless revisions that declare it may use it; others are refused for lack of the
     * capability, or do not find its methods at all.
     */
    default boolean isForDeclaringClients() {
        return false;
    }

    /** @throws Problem when it cannot be carried out */
    MethodResult serve(String method, ObjectNode params, McpRequest request);
}
