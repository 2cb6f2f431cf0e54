package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * A session. Its signed id contains all of it, so any replica can serve it, and a new session uses no memory.
 *
 * @param handle identifies it in the store
 * @param clientName the name that the client sent in {@code initialize}
 */
record McpSession(
        SessionStore.Handle handle,
        ClientInfo client,
        @Nullable String clientName) {}
