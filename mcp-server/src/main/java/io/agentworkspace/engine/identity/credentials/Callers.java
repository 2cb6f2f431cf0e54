package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the caller that a credential belongs to. The default methods suit an implementation that supports only keys.
 */
public interface Callers {
    /**
     * Returns the caller of a key.
     *
     * @throws Problem {@code unauthenticated} for a key that is unknown, expired or revoked, without distinction;
     *     {@code unavailable} if the key cannot be looked up at present
     */
    Caller authenticate(ApiKey key);

    /**
     * Records that the caller uses its credential.
     *
     * @param client the client program's name, as the client reports it
     */
    default void seen(Caller caller, @Nullable String client) {}

    /** @throws Problem as for a key */
    default Caller authenticate(Presented credential) {
        if (credential instanceof ApiKey key) {
            return authenticate(key);
        }
        throw SessionSecret.ended();
    }

    /** Returns the MCP endpoint as an OAuth resource, if it accepts tokens of another issuer. */
    default Optional<ProtectedResource> resource() {
        return Optional.empty();
    }

    /** Returns the current caller for a principal; empty if its credential is not valid, or no longer. */
    Optional<Caller> current(String principal);

    /**
     * Returns whether the key was valid when it was last looked up, so that another look-up does not count as a
     * guess.
     */
    default boolean remembers(ApiKey key) {
        return true;
    }

    default boolean remembers(Presented credential) {
        return !(credential instanceof ApiKey key) || remembers(key);
    }
}
