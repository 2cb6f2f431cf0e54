package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.credentials.UnverifiedToken;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.jsonwebtoken.Claims;
import io.jsonwebtoken.JwtException;
import io.jsonwebtoken.security.Jwk;
import io.jsonwebtoken.security.Jwks;
import java.security.PublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a client of the authorization server signs to prove who it is (private_key_jwt; RFC 7523, section 3).
 *
 * @param audiences the addresses of this server, any of which it may be for, and no other
 * @param algorithm the one algorithm that the client signs with; null for any that is accepted
 */
public record ClientAssertions(
        String client, Set<String> audiences, @Nullable String algorithm, Clock clock) {
    /** The type of such an assertion in a request. */
    public static final String TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

    /** The names of the algorithms that are accepted: asymmetric ones only. */
    public static final List<String> ALGORITHMS = TokenJson.NAMES;

    /** How far the clock of a client may be off: each assertion works once, whatever its times are. */
    private static final Duration SKEW = Duration.ofMinutes(5);

    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int LONGEST_ID = 255;
    private static final int LONGEST_TEXT = 8_192;
    private static final int MOST_KEYS = 20;

    /** A valid assertion, which works once: its id is unique among those of its client. */
    public record Proof(String id, Instant expires) {}

    /** A public key of a client. */
    private record Key(@Nullable String id, String algorithm, PublicKey key) {}

    /** Returns the ids of the keys in a JWK set that can be used; the empty text for one without an id. */
    public static List<String> keys(ObjectNode set) {
        return usable(set).stream().map(key -> key.id() == null ? "" : key.id()).toList();
    }

    private static List<Key> usable(ObjectNode set) {
        if (set.path("keys").size() > MOST_KEYS) {
            throw invalid("its key set must have at most %d keys".formatted(MOST_KEYS));
        }
        var usable = new ArrayList<Key>();
        for (var one : set.path("keys")) {
            try {
                Jwk<?> parsed = Jwks.parser().json(TokenJson.PARSER).build().parse(Json.text(one));
                if (parsed.toKey() instanceof PublicKey key
                        && !one.path("use").asString("sig").equals("enc")
                        && TokenJson.isOfGoodSize(key)) {
                    usable.add(new Key(parsed.getId(), one.path("alg").asString(""), key));
                }
            } catch (RuntimeException e) {
                // Skips keys of unsupported types.
            }
        }
        return usable;
    }

    /** Returns whether the key that the assertion names is in a JWK set. */
    public boolean knows(String text, ObjectNode set) {
        return UnverifiedToken.read(text).flatMap(token -> key(token, set)).isPresent();
    }

    /** Returns the key with the id that the token names. It need not name its key if there is only one. */
    private static java.util.Optional<Key> key(UnverifiedToken token, ObjectNode set) {
        var keys = usable(set);
        var id = token.keyId();
        return keys.stream()
                .filter(key -> id == null ? keys.size() == 1 : id.equals(key.id()))
                .findFirst();
    }

    /**
     * Verifies an assertion. The caller of this method checks that it was not used before.
     *
     * @param set the client's keys
     * @throws Problem {@code unauthenticated}, with a note that names the defect
     */
    public Proof verified(String text, ObjectNode set) {
        if (text.length() > LONGEST_TEXT) {
            throw invalid("it is longer than %,d characters".formatted(LONGEST_TEXT));
        }
        var token = UnverifiedToken.read(text).orElseThrow(() -> invalid("it is not a JWT"));
        checkHeader(token.header());
        var key = key(token, set).orElseThrow(() -> invalid("its kid is not that of a key of the client"));
        var named = token.header().path("alg").asString("");
        if (!key.algorithm().isEmpty() && !key.algorithm().equals(named)) {
            throw invalid("its alg must be %s, as its key says".formatted(key.algorithm()));
        }
        return proof(claims(text, key.key()));
    }

    private void checkHeader(ObjectNode header) {
        var named = header.path("alg").asString("");
        if (algorithm == null ? !ALGORITHMS.contains(named) : !algorithm.equals(named) || !ALGORITHMS.contains(named)) {
            throw invalid(
                    "its alg must be " + (algorithm == null ? "one of " + String.join(", ", ALGORITHMS) : algorithm));
        }
        if (header.has("crit") || header.has("zip") || header.has("b64")) {
            throw invalid("its header requires extensions that are not supported here (crit, zip, b64)");
        }
    }

    private Claims claims(String text, PublicKey key) {
        try {
            return TokenJson.parser(client, TokenJson.ALGORITHMS, clock)
                    .clockSkewSeconds(SKEW.toSeconds())
                    .requireSubject(client)
                    .verifyWith(key)
                    .build()
                    .parseSignedClaims(text)
                    .getPayload();
        } catch (JwtException | IllegalArgumentException e) {
            throw invalid("its signature, its iss and sub (the client_id), or its times (exp, nbf) are wrong");
        }
    }

    private Proof proof(Claims claims) {
        var now = clock.instant();
        var audience = claims.getAudience();
        if (audience == null || audience.isEmpty() || !audiences.containsAll(audience)) {
            throw invalid("its aud must be one of "
                    + String.join(", ", audiences.stream().sorted().toList()));
        }
        var expires = claims.getExpiration();
        if (expires == null || expires.toInstant().isAfter(now.plus(LONGEST).plus(SKEW))) {
            throw invalid("its exp must be there, and at most an hour from now");
        }
        var issued = claims.getIssuedAt();
        if (issued != null && issued.toInstant().isAfter(now.plus(SKEW))) {
            throw invalid("its iat is in the future");
        }
        var id = claims.getId();
        if (id == null || id.isBlank() || id.length() > LONGEST_ID) {
            throw invalid("its jti must be unique, in at most %d characters".formatted(LONGEST_ID));
        }
        return new Proof(id, expires.toInstant().plus(SKEW));
    }

    private static Problem invalid(String why) {
        return new Problem(Failure.UNAUTHENTICATED, why);
    }
}
