package io.agentworkspace.engine.integrations.upstreams.client;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server to connect to.
 *
 * @param installed when: the revisions of another installation under this name begin again
 * @param revision of its record: a change of it begins new connections
 * @param secret opens the secret of its credential; an empty text if there is none
 * @param era the revision of the protocol that it was found to speak; null if unknown
 */
public record Target(
        long tenant,
        String name,
        Instant installed,
        long revision,
        URI url,
        UpstreamCredential credential,
        Supplier<String> secret,
        Duration limit,
        @Nullable String era) {}
