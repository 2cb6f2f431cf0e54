package io.agentworkspace.engine.integrations.upstreams.accounts;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamCredential;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is needed when a browser comes back from an authorization server. It is stored encrypted.
 *
 * @param issuer of whom the response must be
 * @param namesItself whether the response must say so
 * @param token the address of the token endpoint
 * @param verifier of PKCE
 * @param url the server's address, as it was
 * @param installed when the server was
 * @param credential of the server, as it was
 */
record Connecting(
        String issuer,
        boolean namesItself,
        String token,
        @Nullable String revoke,
        ProviderClient client,
        String resource,
        String verifier,
        String url,
        Instant installed,
        UpstreamCredential credential) {
    @Override
    public String toString() {
        return "connection to " + issuer;
    }
}
