package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;

/** Checks that a request comes from who has the key that the caller's credential is bound to. */
@FunctionalInterface
public interface PossessionCheck {
    /** Uses up nothing. */
    Runnable NOTHING = () -> {};

    /** Accepts only credentials that are bound to no key. */
    PossessionCheck NONE = (_, caller, _) -> {
        if (caller.credential().proofKey() != null) {
            throw Problem.unauthenticated("the access token is bound to a key, which is not supported here");
        }
        return NOTHING;
    };

    /**
     * Verifies the proof of a request.
     *
     * @param answer gets the challenge of a refusal
     * @return uses up the proof, for a caller whom the rate limit admits; throws a {@link Problem} if it was used before
     * @throws Problem {@code unauthenticated} if the request does not show that
     */
    Runnable check(Request request, Caller caller, HttpFields.Mutable answer);
}
