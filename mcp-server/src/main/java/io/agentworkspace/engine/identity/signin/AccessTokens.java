package io.agentworkspace.engine.identity.signin;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.credentials.AccessToken;
import io.agentworkspace.engine.identity.credentials.UnverifiedToken;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Caller;
import io.jsonwebtoken.Claims;
import io.jsonwebtoken.Header;
import io.jsonwebtoken.JwtException;
import io.jsonwebtoken.JwtParser;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.ProtectedHeader;
import io.jsonwebtoken.UnsupportedJwtException;
import io.jsonwebtoken.security.Jwks;
import java.security.Key;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Issues and verifies the short-lived tokens of sessions: JWTs signed with ES256. Verified tokens are cached until they
 * expire, since verifying is slow. Callers of this class check whether the session still exists.
 */
final class AccessTokens {
    /** The lifetime of a token. */
    static final Duration LIFE = Duration.ofMinutes(10);

    private static final String SESSION = "sid";
    private static final int REMEMBERED = 100_000;

    /** The tolerated difference between the clocks of replicas. */
    private static final Duration SKEW = Duration.ofSeconds(5);

    private final SigningKeyStore keys;
    private final String issuer;
    private final Set<String> audience;
    private final Clock clock;
    private final JwtParser parser;
    private final Cache<String, Verified> verified =
            Caffeine.newBuilder().maximumSize(REMEMBERED).expireAfterWrite(LIFE).build();

    public AccessTokens(SigningKeyStore keys, String issuer, Collection<String> audience, Clock clock) {
        this.keys = keys;
        this.issuer = issuer;
        this.audience = Set.copyOf(audience);
        this.clock = clock;
        this.parser = TokenJson.parser(issuer, List.of(Jwts.SIG.ES256), clock)
                .keyLocator(this::key)
                .build();
    }

    private record Verified(String session, Instant expiresAt) {}

    /** @param session the session's public id */
    String issue(Caller caller, String session) {
        return TokenJson.draft(keys.signer(), issuer, audience, caller, clock.instant(), LIFE)
                .claim(SESSION, session)
                .compact();
    }

    /**
     * Returns the public id of the session that the token was issued for.
     *
     * @throws Problem {@code unauthenticated}, with the same note for every defect
     */
    String session(AccessToken token) {
        var digest = digest(token.text());
        var entry = verified.getIfPresent(digest);
        if (entry == null) {
            entry = verify(token);
            verified.put(digest, entry);
        }
        if (!clock.instant().isBefore(entry.expiresAt())) {
            throw invalid();
        }
        return entry.session();
    }

    /** Returns the public id of the token's session if the token has been verified before. */
    @Nullable
    String remembered(AccessToken token) {
        var entry = verified.getIfPresent(digest(token.text()));
        return entry == null ? null : entry.session();
    }

    static Problem invalid() {
        return Problem.unauthenticated("""
                the access token is invalid: it has expired, its session has ended, or another server issued it. Get a new one \
                with POST /api/auth/token, or send an API key""");
    }

    private Verified verify(AccessToken token) {
        if (UnverifiedToken.read(token.text()).isEmpty()) {
            throw invalid();
        }
        try {
            return accepted(parser.parseSignedClaims(token.text()).getPayload());
        } catch (JwtException | IllegalArgumentException e) {
            throw invalid();
        }
    }

    private Verified accepted(Claims claims) {
        var issued = claims.getIssuedAt();
        var expires = claims.getExpiration();
        var session = claims.get(SESSION, String.class);
        var isGood = issued != null
                && expires != null
                && session != null
                && claims.getAudience() != null
                && !Collections.disjoint(claims.getAudience(), audience)
                && !issued.toInstant().isAfter(clock.instant().plus(SKEW));
        if (!isGood) {
            throw invalid();
        }
        return new Verified(session, expires.toInstant());
    }

    private Key key(Header header) {
        if (header instanceof ProtectedHeader signed
                && Jwts.SIG.ES256.getId().equals(signed.getAlgorithm())
                && signed.getKeyId() != null) {
            return keys.find(signed.getKeyId()).orElseThrow(AccessTokens::invalid);
        }
        throw new UnsupportedJwtException("only ES256, with the id of the key");
    }

    /** Returns the public keys in the format of RFC 7517. */
    ObjectNode published() {
        var set = Json.object();
        var listed = set.putArray("keys");
        for (var key : keys.published()) {
            var fields = listed.addObject();
            Jwks.builder()
                    .key(key.key())
                    .id(key.id())
                    .algorithm(Jwts.SIG.ES256.getId())
                    .publicKeyUse("sig")
                    .build()
                    .forEach((name, value) -> fields.put(name, String.valueOf(value)));
        }
        return set;
    }

    static String digest(String text) {
        return Base64.getEncoder().encodeToString(Sha256.of(text));
    }
}
