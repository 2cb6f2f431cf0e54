package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.mcp.wire.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * A session, all of which is in its signed id: any replica can serve it, and beginning one costs no memory.
 *
 * @param handle what the store knows it by
 * @param clientName what the client called itself when it began
 */
record McpSession(
        SessionStore.Handle handle,
        ClientInfo client,
        @Nullable String clientName) {}
