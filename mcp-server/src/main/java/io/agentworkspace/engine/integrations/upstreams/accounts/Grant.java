package io.agentworkspace.engine.integrations.upstreams.accounts;

import org.jspecify.annotations.Nullable;

/**
 * The tokens of a user's account, and what renews and revokes them. It is stored encrypted.
 *
 * @param refresh null if the access token cannot be renewed
 * @param token the address of the token endpoint
 * @param revoke the address where tokens are revoked; null if they cannot be
 * @param resource what the tokens are for
 */
record Grant(
        String access,
        @Nullable String refresh,
        String token,
        @Nullable String revoke,
        ProviderClient client,
        String resource) {
    @Override
    public String toString() {
        return "grant for " + resource;
    }
}
