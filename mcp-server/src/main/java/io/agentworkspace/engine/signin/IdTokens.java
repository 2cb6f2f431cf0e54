package io.agentworkspace.engine.signin;

import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import io.jsonwebtoken.Claims;
import io.jsonwebtoken.JwtException;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.SignatureAlgorithm;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what a provider has signed about a user (OpenID Connect Core 1.0, section 3.1.3.7). */
final class IdTokens {
    static final List<SignatureAlgorithm> ALGORITHMS = List.of(
            Jwts.SIG.ES256,
            Jwts.SIG.ES384,
            Jwts.SIG.ES512,
            Jwts.SIG.RS256,
            Jwts.SIG.RS384,
            Jwts.SIG.RS512,
            Jwts.SIG.PS256,
            Jwts.SIG.PS384,
            Jwts.SIG.PS512,
            Jwts.SIG.EdDSA);
    private static final Duration SKEW = Duration.ofMinutes(1);
    private static final Duration OLDEST = Duration.ofMinutes(10);
    private static final int LONGEST_SUBJECT = 255;

    private final Clock clock;

    IdTokens(Clock clock) {
        this.clock = clock;
    }

    /** The claims, if it was made by this provider, for us, for this sign-in, and just now. */
    Optional<Claims> read(Issuer issuer, String token, String nonce) throws ProviderHttp.Failed {
        try {
            issuer.prepare(keyId(token));
            var parser = Jwts.parser()
                    .json(TokenJson.PARSER)
                    .clock(() -> Date.from(clock.instant()))
                    .clockSkewSeconds(SKEW.toSeconds())
                    .zip()
                    .clear()
                    .and()
                    .sig()
                    .clear()
                    .add(ALGORITHMS)
                    .and()
                    .keyLocator(issuer::key)
                    .requireIssuer(issuer.provider().issuer().toString())
                    .build();
            return Optional.of(parser.parseSignedClaims(token).getPayload())
                    .filter(claims -> isForUs(claims, issuer.provider().clientId()) && isFresh(claims, nonce));
        } catch (JwtException | IllegalArgumentException | Problem e) {
            return Optional.empty();
        }
    }

    private static @Nullable String keyId(String token) {
        var header = Json.readObject(Base64.getUrlDecoder().decode(token.split("\\.", 2)[0]));
        return header.path("kid").isString() ? header.get("kid").asString() : null;
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
        return claims.get("nonce") instanceof String given
                && BrowserSecret.same(nonce, given)
                && claims.getExpiration() != null
                && issued != null
                && !issued.toInstant().isAfter(now.plus(SKEW))
                && !issued.toInstant().isBefore(now.minus(OLDEST))
                && subject != null
                && !subject.isBlank()
                && subject.length() <= LONGEST_SUBJECT;
    }
}
