package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.store.SessionStore;
import org.jspecify.annotations.Nullable;

/**
 * A session, all of which is in its signed id: any replica can serve it, and beginning one costs no memory.
 *
 * @param handle what the store knows it by
 * @param clientName what the client called itself when it began
 */
record Session(
        SessionStore.Handle handle, Client client, @Nullable String clientName) {}
