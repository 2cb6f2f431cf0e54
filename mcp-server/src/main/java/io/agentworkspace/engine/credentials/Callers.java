package io.agentworkspace.engine.credentials;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Knows whose a credential is. Who knows keys only need say nothing of the others. */
public interface Callers {
    /**
     * @throws Problem {@code unauthenticated} for a key that is unknown, expired or revoked, all alike;
     *     {@code unavailable} when it cannot be told at present
     */
    Caller authenticate(ApiKey key);

    /**
     * Notes that the caller uses its credential.
     *
     * @param client the program that it comes from, as it calls itself
     */
    default void seen(Caller caller, @Nullable String client) {}

    /** @throws Problem as for a key */
    default Caller authenticate(Presented credential) {
        if (credential instanceof ApiKey key) {
            return authenticate(key);
        }
        throw SessionSecret.ended();
    }

    /** The MCP endpoint as an OAuth resource, if it accepts tokens of another issuer. */
    default Optional<ProtectedResource> resource() {
        return Optional.empty();
    }

    /** Whom a principal stands for at present; nobody when its credential is not, or no longer, valid. */
    Optional<Caller> current(String principal);

    /** Whether it was good when it was last asked for: to look it up again is no guess. */
    default boolean remembers(ApiKey key) {
        return true;
    }

    default boolean remembers(Presented credential) {
        return !(credential instanceof ApiKey key) || remembers(key);
    }
}
