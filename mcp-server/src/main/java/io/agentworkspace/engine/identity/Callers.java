package io.agentworkspace.engine.identity;

import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Problem;
import org.jspecify.annotations.Nullable;

/** Knows whose a key is. */
@FunctionalInterface
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

    /** Whether it is known to be good without asking the database. */
    default boolean remembers(ApiKey key) {
        return true;
    }
}
