package io.agentworkspace.engine.integrations.upstreams.accounts;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the authorization server that issues tokens for a server.
 *
 * @param register where clients register; null if they cannot
 * @param revoke where tokens are revoked; null if they cannot be
 * @param namesItself whether its responses contain {@code iss} (RFC 9207)
 * @param readsDocuments whether the id of a client can be the address of a document about it
 * @param methods how clients may authenticate at the token endpoint; empty if it does not say
 * @param resource what tokens are for, as the server names itself
 * @param scope to request; null for none
 */
record AuthorizationServer(
        String issuer,
        URI authorize,
        URI token,
        @Nullable URI register,
        @Nullable URI revoke,
        boolean namesItself,
        boolean readsDocuments,
        List<String> methods,
        String resource,
        @Nullable String scope) {
    /** Returns whether two texts name the same issuer: they are equal, apart from the slash of an empty path. */
    static boolean isSame(String one, String other) {
        return plain(one).equals(plain(other));
    }

    private static String plain(String issuer) {
        return issuer.matches("https?://[^/?#]+/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    }
}
