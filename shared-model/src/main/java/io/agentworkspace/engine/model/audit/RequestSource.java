package io.agentworkspace.engine.model.audit;

import org.jspecify.annotations.Nullable;

/**
 * Where a request came from, for the audit.
 *
 * @param door {@code mcp} or {@code rest}
 * @param address the sender's network address, as the server sees it
 * @param client the program, as it calls itself
 */
public record RequestSource(
        @Nullable String door,
        @Nullable String address,
        @Nullable String client) {
    public static final String MCP = "mcp";
    public static final String REST = "rest";

    /** For a request that did not come through an endpoint. */
    public static final RequestSource NOWHERE = new RequestSource(null, null, null);
}
