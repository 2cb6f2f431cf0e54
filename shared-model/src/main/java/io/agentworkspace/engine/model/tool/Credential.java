package io.agentworkspace.engine.model.tool;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The restrictions of the credential that a caller authenticated with.
 *
 * @param key the id of the API key; null for a caller that came without one
 * @param child whether another key created it, and ends it by ending
 * @param confirmsDestructive whether the person at an MCP client is asked before something is destroyed
 * @param outdated whether the request used the secret from before the last rotation
 */
public record Credential(
        @Nullable String key,
        boolean child,
        Toolset toolset,
        boolean confirmsDestructive,
        @Nullable Instant expiresAt,
        boolean outdated) {
    /** Limits nothing. */
    static final Credential UNLIMITED = new Credential(null, false, Toolset.EVERYTHING, false, null, false);

    /** @param end until when the secret from before the rotation works */
    public Credential asOutdated(@Nullable Instant end) {
        return new Credential(key, child, toolset, confirmsDestructive, end, true);
    }
}
