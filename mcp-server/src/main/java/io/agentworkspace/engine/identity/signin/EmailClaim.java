package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.problem.EmailAddress;
import io.jsonwebtoken.Claims;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A user's e-mail address as a provider reports it.
 *
 * @param text empty if the provider reports none
 */
record EmailClaim(String text, boolean isVerified) {
    /** @param more claims from the userinfo endpoint, which are used if the token has no address */
    static EmailClaim of(Claims claims, ObjectNode more) {
        if (claims.get("email") != null) {
            return new EmailClaim(
                    claims.get("email") instanceof String text ? text : "",
                    Boolean.TRUE.equals(claims.get("email_verified")));
        }
        var verified = more.path("email_verified");
        return new EmailClaim(more.path("email").asString(""), verified.isBoolean() && verified.asBoolean());
    }

    /** Returns the address; empty if it is not verified. */
    String verified() {
        return isVerified ? text : "";
    }

    /** Returns the key by which users are found; null if there is no verified address. */
    @Nullable
    String key() {
        return EmailAddress.key(verified()).orElse(null);
    }
}
