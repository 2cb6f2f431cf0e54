package io.agentworkspace.engine.model.audit;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * Where a request came from, for the audit.
 *
 * @param endpoint {@code mcp} or {@code rest}
 * @param address the sender's network address, as the server sees it
 * @param client the name of the client program, as the client reports it
 */
public record RequestSource(
        @JsonProperty("door") @Nullable String endpoint,
        @Nullable String address,
        @Nullable String client) {
    public static final String MCP = "mcp";
    public static final String REST = "rest";

    /** The source of a request that did not come through an endpoint. */
    public static final RequestSource NOWHERE = new RequestSource(null, null, null);
}
