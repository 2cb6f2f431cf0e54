package io.agentworkspace.engine.identity.oauth;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A program that users give access to.
 *
 * @param id its id: given at its registration, or the address of its metadata document
 * @param secretHash the hash of its secret; null without one
 * @param keys the keys that it signs with; null without any
 * @param proves whether it gets only tokens that are bound to a key of its own (DPoP)
 */
record OAuthClient(
        String id,
        String name,
        List<String> redirectUris,
        byte @Nullable [] secretHash,
        @Nullable Keys keys,
        boolean proves) {
    /**
     * The keys of a client that can prove who it is with them (private_key_jwt).
     *
     * @param set the keys themselves, as a JWK set; null if they are at an address
     * @param algorithm the one algorithm that it signs with; null for any
     * @param mustSign whether it gets tokens in no other way
     */
    record Keys(
            @Nullable ObjectNode set,
            @Nullable String address,
            @Nullable String algorithm,
            boolean mustSign) {}

    boolean mustSign() {
        return keys != null && keys.mustSign();
    }
}
