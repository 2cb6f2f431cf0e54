package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.jsonwebtoken.Identifiable;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.JwtParserBuilder;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.io.AbstractDeserializer;
import io.jsonwebtoken.io.AbstractSerializer;
import io.jsonwebtoken.io.DeserializationException;
import io.jsonwebtoken.security.SignatureAlgorithm;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Configures the token library: strict JSON as everywhere in the server, and one parser for own and foreign tokens. */
public final class TokenJson {
    /** The algorithms that others may sign with: asymmetric ones only. */
    public static final List<SignatureAlgorithm> ALGORITHMS = List.of(
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

    /** Their names. */
    public static final List<String> NAMES =
            ALGORITHMS.stream().map(Identifiable::getId).toList();

    /** The tolerated difference between the clocks of a provider and of this server. */
    static final Duration SKEW = Duration.ofMinutes(1);

    private static final String TENANT = "tid";
    private static final int LEAST_RSA = 2_048;
    private static final int MOST_RSA = 8_192;
    private static final int MOST_EXPONENT = 32;

    static final Writer WRITER = new Writer();
    public static final Parser PARSER = new Parser();

    private TokenJson() {}

    /** Returns a parser that accepts no compressed tokens, no other signature algorithms and no other issuer. */
    static JwtParserBuilder parser(String issuer, List<SignatureAlgorithm> algorithms, Clock clock) {
        return parser(algorithms, clock).requireIssuer(issuer);
    }

    /** Returns a parser that accepts no compressed tokens and no other signature algorithms. */
    public static JwtParserBuilder parser(List<SignatureAlgorithm> algorithms, Clock clock) {
        return Jwts.parser()
                .json(PARSER)
                .clock(() -> Date.from(clock.instant()))
                .zip()
                .clear()
                .and()
                .sig()
                .clear()
                .add(algorithms)
                .and();
    }

    /** Returns whether a key is long enough to be safe, and not too long to be verified with. The time grows with the exponent, too. */
    public static boolean isOfGoodSize(PublicKey key) {
        return !(key instanceof RSAPublicKey rsa)
                || rsa.getModulus().bitLength() >= LEAST_RSA
                        && rsa.getModulus().bitLength() <= MOST_RSA
                        && rsa.getPublicExponent().bitLength() <= MOST_EXPONENT;
    }

    /** Returns the claims that every token of this server has, signed with ES256, to add further ones. */
    static JwtBuilder draft(
            SigningKeyStore.Signer signer,
            String issuer,
            Collection<String> audience,
            Caller caller,
            Instant now,
            Duration life) {
        return Jwts.builder()
                .json(WRITER)
                .header()
                .keyId(signer.id())
                .and()
                .issuer(issuer)
                .audience()
                .add(audience)
                .and()
                .subject(Long.toString(caller.user()))
                .claim(TENANT, Long.toString(caller.tenant()))
                .issuedAt(Date.from(now))
                .expiration(Date.from(now.plus(life)))
                .id(UUID.randomUUID().toString())
                .signWith(signer.key(), Jwts.SIG.ES256);
    }

    static final class Writer extends AbstractSerializer<Map<String, ?>> {
        @Override
        protected void doSerialize(Map<String, ?> claims, OutputStream out) throws IOException {
            out.write(Json.bytes(claims));
        }
    }

    /** Parses the JSON of tokens as strictly as that of requests. */
    public static final class Parser extends AbstractDeserializer<Map<String, ?>> {
        @Override
        @SuppressWarnings("unchecked")
        protected Map<String, ?> doDeserialize(Reader reader) throws IOException {
            var text = new StringWriter();
            reader.transferTo(text);
            try {
                return Json.bind(Json.readObject(text.toString().getBytes(StandardCharsets.UTF_8)), Map.class);
            } catch (Problem e) {
                throw new DeserializationException(e.note());
            }
        }
    }
}
