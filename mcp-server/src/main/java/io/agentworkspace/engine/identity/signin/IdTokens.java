package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.credentials.UnverifiedToken;
import io.agentworkspace.engine.model.text.StorableText;
import io.jsonwebtoken.Claims;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Verifies and reads a provider's ID tokens (OpenID Connect Core 1.0, section 3.1.3.7). */
final class IdTokens {
    private static final Logger LOG = LoggerFactory.getLogger(IdTokens.class);
    private static final Duration OLDEST = Duration.ofMinutes(10);
    private static final int LONGEST_SUBJECT = 255;

    private final Clock clock;

    IdTokens(Clock clock) {
        this.clock = clock;
    }

    /** Returns the claims, if this provider issued the token recently, for this client and this sign-in. */
    Optional<Claims> read(Issuer issuer, String text, String nonce) throws ProviderHttp.Failed {
        var token = UnverifiedToken.read(text);
        if (token.isEmpty()) {
            return refused(issuer, "it is not a signed JWT");
        }
        var claims = issuer.keys().verified(token.get());
        if (claims.isEmpty()) {
            return refused(issuer, "its signature, algorithm, issuer or time is wrong");
        } else if (!isForUs(claims.get(), issuer.provider().clientId())) {
            return refused(issuer, "aud or azp names another client than ours");
        } else if (!isFresh(claims.get(), nonce)) {
            return refused(issuer, "nonce, iat, exp or sub does not belong to this sign-in");
        }
        return claims;
    }

    /** Logs the reason for the operator; the browser only learns that the sign-in was refused. */
    private static Optional<Claims> refused(Issuer issuer, String reason) {
        LOG.warn(
                "an ID token of the provider {} was refused: {}",
                issuer.provider().name(),
                reason);
        return Optional.empty();
    }

    private static boolean isForUs(Claims claims, String client) {
        var audience = claims.getAudience();
        var party = claims.get("azp");
        return audience != null
                && audience.contains(client)
                && (party == null ? audience.size() == 1 : client.equals(party));
    }

    private boolean isFresh(Claims claims, String nonce) {
        var now = clock.instant();
        var issued = claims.getIssuedAt();
        var subject = claims.getSubject();
        return claims.get("nonce") instanceof String claim
                && BrowserSecret.same(nonce, claim)
                && claims.getExpiration() != null
                && issued != null
                && !issued.toInstant().isAfter(now.plus(TokenJson.SKEW))
                && !issued.toInstant().isBefore(now.minus(OLDEST))
                && subject != null
                && !subject.isBlank()
                && subject.length() <= LONGEST_SUBJECT
                && StorableText.isStorable(subject);
    }
}
