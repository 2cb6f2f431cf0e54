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
 * @param resource the path of the MCP endpoint that it is for, if the authorization server issued it for one: it works there, and
 *     nowhere else
 * @param person whether a person signed in for it, at the page or at a provider
 * @param proofKey the thumbprint of the key that a request must prove to have (DPoP); null for none
 */
public record Credential(
        @Nullable String key,
        boolean child,
        Toolset toolset,
        boolean confirmsDestructive,
        @Nullable Instant expiresAt,
        boolean outdated,
        @Nullable String resource,
        boolean person,
        @Nullable String proofKey) {
    /** A credential without restrictions. */
    static final Credential UNLIMITED = new Credential(null, false, Toolset.EVERYTHING, false, null, false);

    /** A credential of a program, for every address. */
    public Credential(
            @Nullable String key,
            boolean child,
            Toolset toolset,
            boolean confirmsDestructive,
            @Nullable Instant expiresAt,
            boolean outdated) {
        this(key, child, toolset, confirmsDestructive, expiresAt, outdated, null, false, null);
    }

    /**
     * Returns the same credential, used with the secret from before the rotation.
     *
     * @param end when that secret stops working
     */
    public Credential asOutdated(@Nullable Instant end) {
        return new Credential(key, child, toolset, confirmsDestructive, end, true, resource, person, proofKey);
    }

    /** Returns the same credential, which ends then. */
    public Credential until(Instant end) {
        return new Credential(key, child, toolset, confirmsDestructive, end, outdated, resource, person, proofKey);
    }

    /** Returns the same credential, which only works at a path of the MCP endpoint. */
    public Credential at(@Nullable String path) {
        return new Credential(key, child, toolset, confirmsDestructive, expiresAt, outdated, path, person, proofKey);
    }

    /** Returns the same credential, used by a person who signed in for it. */
    public Credential ofPerson() {
        return new Credential(key, child, toolset, confirmsDestructive, expiresAt, outdated, resource, true, proofKey);
    }

    /** Returns the same credential, used by a program. */
    public Credential ofProgram() {
        return new Credential(key, child, toolset, confirmsDestructive, expiresAt, outdated, resource, false, proofKey);
    }

    /** Returns the same credential, which works only with a proof of this key. */
    public Credential provenBy(@Nullable String thumbprint) {
        return new Credential(
                key, child, toolset, confirmsDestructive, expiresAt, outdated, resource, person, thumbprint);
    }
}
