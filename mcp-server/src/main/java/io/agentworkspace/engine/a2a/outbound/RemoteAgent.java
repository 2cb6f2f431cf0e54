package io.agentworkspace.engine.a2a.outbound;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An agent elsewhere.
 *
 * @param url its address, or that of its card
 * @param header the header that carries the credential; null for none
 * @param secret its value
 * @param setAt since when it lives there
 * @param internal whether it may be in a private network that the operator allowed
 */
record RemoteAgent(
        long tenant, long agent, String url, @Nullable String header, String secret, Instant setAt, boolean internal) {
    @Override
    public String toString() {
        return "agent %d of tenant %d".formatted(agent, tenant); // Without the credential.
    }
}
