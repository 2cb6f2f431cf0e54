package io.agentworkspace.engine.model.tool;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The restrictions of the credential that a caller authenticated with.
 *
 * @param key the id of the API key; null for a caller without one
 * @param child whether another key created this one, and ends it when it ends itself
 * @param confirmsDestructive whether the person at an MCP client must confirm before something is destroyed
 * @param outdated whether the request used the secret from before the last rotation
 */
public record Credential(
        @Nullable String key,
        boolean child,
        Toolset toolset,
        boolean confirmsDestructive,
        @Nullable Instant expiresAt,
        boolean outdated) {
    /** A credential without restrictions. */
    static final Credential UNLIMITED = new Credential(null, false, Toolset.EVERYTHING, false, null, false);

    /**
     * Returns the same credential, used with the secret from before the rotation.
     *
     * @param end when that secret stops working
     */
    public Credential asOutdated(@Nullable Instant end) {
        return new Credential(key, child, toolset, confirmsDestructive, end, true);
    }
}
