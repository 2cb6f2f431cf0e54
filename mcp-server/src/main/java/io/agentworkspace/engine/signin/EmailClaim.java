package io.agentworkspace.engine.signin;

import io.agentworkspace.engine.model.problem.EmailAddress;
import io.jsonwebtoken.Claims;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a provider reports of somebody's e-mail address.
 *
 * @param text empty where it reports none
 */
record EmailClaim(String text, boolean isVerified) {
    /** @param more what it reports besides its token, which counts where the token has no address */
    static EmailClaim of(Claims claims, ObjectNode more) {
        if (claims.get("email") != null) {
            return new EmailClaim(
                    claims.get("email") instanceof String text ? text : "",
                    Boolean.TRUE.equals(claims.get("email_verified")));
        }
        var verified = more.path("email_verified");
        return new EmailClaim(more.path("email").asString(""), verified.isBoolean() && verified.asBoolean());
    }

    /** Empty where it is not verified. */
    String verified() {
        return isVerified ? text : "";
    }

    /** What users are found by; null where there is no verified address. */
    @Nullable
    String key() {
        return EmailAddress.key(verified()).orElse(null);
    }
}
