package io.agentworkspace.engine.identity.dpop;

import io.agentworkspace.engine.identity.credentials.Credentials;
import io.agentworkspace.engine.identity.credentials.PossessionCheck;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.credentials.UnverifiedToken;
import io.agentworkspace.engine.identity.signin.TokenJson;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Caller;
import io.jsonwebtoken.JwtException;
import io.jsonwebtoken.security.Jwks;
import io.jsonwebtoken.security.PublicJwk;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Verifies proofs of possession (RFC 9449, section 4.3). A proof is for one request: its method, its address and its access token.
 * It works once, on all replicas.
 */
public final class DpopProofs implements PossessionCheck {
    /** The names of the algorithms that a proof may be signed with. */
    public static final List<String> ALGORITHMS = TokenJson.NAMES;

    private static final String TYPE = "dpop+jwt";
    private static final String NONCE = "DPoP-Nonce";

    /** How far the clock of a client may be off. One whose clock is further off repeats the request with a nonce. */
    private static final Duration WINDOW = Duration.ofMinutes(5);

    private static final int LONGEST = 8_192;
    private static final int LONGEST_ID = 255;
    private static final long LATEST = 253_402_300_799L;

    private final DpopStore store;
    private final DpopNonces nonces;
    private final List<String> addresses;
    private final Clock clock;

    public DpopProofs(Db db, SealKeys seals, PublicAddresses published, Clock clock) {
        this.store = new DpopStore(db);
        this.nonces = new DpopNonces(seals, clock);
        this.addresses = List.of(published.mcpUrl(), published.baseUrl());
        this.clock = clock;
    }

    /** Returns the feature that deletes the proofs which nobody can use any longer. */
    public Feature feature() {
        return new Feature().background(work -> work.clearing("proofs of possession", store::purge));
    }

    /**
     * Returns the proof that a request for a token presents; empty if it presents none.
     *
     * @throws DpopRefusal if it is not valid
     */
    public Optional<DpopProof> read(Request request, HttpFields.Mutable answer) {
        return request.getHeaders().contains(Credentials.PROOF)
                ? Optional.of(verified(request, null, answer))
                : Optional.empty();
    }

    /** @throws DpopRefusal if the proof was used before */
    public void use(long tenant, DpopProof proof) {
        if (!store.use(tenant, proof)) {
            throw DpopRefusal.invalid("it was used before (jti): sign another one for each request");
        }
    }

    /** @throws Problem {@code unauthenticated} unless the request proves what the caller's credential requires */
    @Override
    public Runnable check(Request request, Caller caller, HttpFields.Mutable answer) {
        var key = caller.credential().proofKey();
        var token = Credentials.proven(request.getHeaders());
        if (key == null && token.isEmpty()) {
            return NOTHING;
        }
        if (key == null) {
            throw refused(
                    answer, "invalid_token", "this credential is bound to no key: send it as Authorization: Bearer");
        }
        if (token.isEmpty()) {
            throw refused(
                    answer,
                    "invalid_token",
                    "this access token is bound to a key: send it as Authorization: DPoP, with a proof in the header DPoP");
        }
        try {
            var proof = verified(request, token.get(), answer);
            if (!proof.key().equals(key)) {
                throw refused(
                        answer, "invalid_token", "the access token is bound to another key than that of the proof");
            }
            return () -> useAtGate(caller, proof, answer);
        } catch (DpopRefusal e) {
            throw refused(answer, e.code(), e.why());
        }
    }

    private void useAtGate(Caller caller, DpopProof proof, HttpFields.Mutable answer) {
        try {
            use(caller.tenant(), proof);
        } catch (DpopRefusal e) {
            throw refused(answer, e.code(), e.why());
        }
    }

    private static Problem refused(HttpFields.Mutable answer, String code, String why) {
        answer.put(
                HttpHeader.WWW_AUTHENTICATE,
                "DPoP error=\"%s\", error_description=\"%s\", algs=\"%s\""
                        .formatted(code, ProtectedResource.quoted(why), String.join(" ", ALGORITHMS)));
        return Problem.unauthenticated(why);
    }

    private DpopProof verified(Request request, @Nullable String accessToken, HttpFields.Mutable answer) {
        var fields = request.getHeaders().getFields(Credentials.PROOF);
        if (fields.size() != 1) {
            throw DpopRefusal.invalid("the header DPoP must be sent once, with one proof");
        }
        var text = String.valueOf(fields.getFirst().getValue());
        if (text.length() > LONGEST) {
            throw DpopRefusal.invalid("it is longer than %,d characters".formatted(LONGEST));
        }
        var token = UnverifiedToken.read(text).orElseThrow(() -> DpopRefusal.invalid("it is not a JWT"));
        var key = key(token.header());
        checkSignature(token, key);
        var claims = token.claims();
        var method = request.getMethod();
        if (!claims.path("htm").asString("").equals(method)) {
            throw DpopRefusal.invalid("its htm must be the method of the request, " + method);
        }
        var path = Request.getPathInContext(request);
        var address = claims.path("htu").asString("");
        if (addresses.stream().noneMatch(one -> isSame(address, one + path))) {
            throw DpopRefusal.invalid("its htu must be the address of the request, " + addresses.getFirst() + path);
        }
        if (accessToken != null
                && !claims.path("ath")
                        .asString("")
                        .equals(Base64.getUrlEncoder().withoutPadding().encodeToString(Sha256.of(accessToken)))) {
            throw DpopRefusal.invalid("its ath must be the SHA-256 of the access token, in base64url");
        }
        var id = claims.path("jti").asString("");
        if (id.isBlank() || id.length() > LONGEST_ID) {
            throw DpopRefusal.invalid("its jti must be unique, in at most %d characters".formatted(LONGEST_ID));
        }
        var thumbprint = key.thumbprint(Jwks.HASH.SHA256).toString();
        return new DpopProof(thumbprint, id, expires(claims, answer));
    }

    private static PublicJwk<?> key(ObjectNode header) {
        if (!header.path("typ").asString("").toLowerCase(Locale.ROOT).equals(TYPE)) {
            throw DpopRefusal.invalid("its typ must be " + TYPE);
        }
        if (!ALGORITHMS.contains(header.path("alg").asString(""))) {
            throw DpopRefusal.invalid("its alg must be one of " + String.join(", ", ALGORITHMS));
        }
        if (header.has("crit") || header.has("zip") || header.has("b64")) {
            throw DpopRefusal.invalid("its header requires extensions that are not supported here (crit, zip, b64)");
        }
        try {
            if (header.path("jwk") instanceof ObjectNode jwk
                    && Jwks.parser().json(TokenJson.PARSER).build().parse(Json.text(jwk)) instanceof PublicJwk<?> key
                    && TokenJson.isOfGoodSize(key.toKey())) {
                return key;
            }
        } catch (RuntimeException e) {
            // Refused below, like a key that is missing.
        }
        throw DpopRefusal.invalid(
                "its jwk must be a public key: RSA with 2048 to 8192 bits and an exponent of at most 32 bits, EC or Ed25519");
    }

    /** The time of the proof is checked afterwards, since a nonce can stand for it. */
    private static void checkSignature(UnverifiedToken token, PublicJwk<?> key) {
        try {
            TokenJson.parser(TokenJson.ALGORITHMS, Clock.fixed(issued(token.claims()), ZoneOffset.UTC))
                    .verifyWith(key.toKey())
                    .build()
                    .parseSignedClaims(token.text());
        } catch (JwtException | IllegalArgumentException e) {
            throw DpopRefusal.invalid(
                    "its signature is not of the key in its header (jwk), or its exp or nbf does not fit its iat");
        }
    }

    private static Instant issued(ObjectNode claims) {
        var value = claims.path("iat");
        var seconds = value.isNumber() ? value.asDouble() : -1;
        if (!(seconds >= 0 && seconds <= LATEST)) {
            throw DpopRefusal.invalid("its iat must be a time in seconds since 1970");
        }
        return Instant.ofEpochSecond((long) seconds);
    }

    /** Returns when nobody can use the proof any longer. */
    private Instant expires(ObjectNode claims, HttpFields.Mutable answer) {
        var issued = issued(claims);
        var now = clock.instant();
        if (claims.has("nonce")) {
            return nonces.expires(claims.path("nonce").asString(""))
                    .orElseThrow(() -> needsNonce(answer, "its nonce has expired, or is not of this server"));
        }
        var off = Duration.between(issued, now).abs();
        if (off.compareTo(WINDOW) > 0) {
            throw needsNonce(
                    answer, "its iat is %d seconds off; the clock here shows %s".formatted(off.toSeconds(), now));
        }
        return issued.plus(WINDOW);
    }

    private DpopRefusal needsNonce(HttpFields.Mutable answer, String why) {
        answer.put(NONCE, nonces.issue());
        return new DpopRefusal(
                DpopRefusal.NONCE, "%s: sign another proof with the nonce of the header %s".formatted(why, NONCE));
    }

    /** Returns whether two addresses are the same, apart from query, fragment, the case of scheme and host, and a slash at the end. */
    private static boolean isSame(String one, String other) {
        var plain = plain(one);
        return plain.isPresent() && plain.equals(plain(other));
    }

    private static Optional<String> plain(String address) {
        try {
            var uri = URI.create(address);
            if (uri.getScheme() == null || uri.getHost() == null || uri.getRawUserInfo() != null) {
                return Optional.empty();
            }
            var scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            var port = uri.getPort() < 0 ? scheme.equals("https") ? 443 : 80 : uri.getPort();
            return Optional.of("%s://%s:%d%s"
                    .formatted(
                            scheme,
                            uri.getHost().toLowerCase(Locale.ROOT),
                            port,
                            uri.getPath().replaceFirst("/$", "")));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
