package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.Jwks;
import io.jsonwebtoken.security.SignatureAlgorithm;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Proofs of possession as clients make them (RFC 9449, section 4.2). */
final class Proofs {
    private Proofs() {}

    static JwtBuilder draft(KeyPair key, String method, String address, Instant at) {
        return Jwts.builder()
                .json(TokenJson.WRITER)
                .header()
                .type("dpop+jwt")
                .add("jwk", jwk(key))
                .and()
                .id(UUID.randomUUID().toString())
                .claim("htm", method)
                .claim("htu", address)
                .issuedAt(Date.from(at));
    }

    static String signed(JwtBuilder draft, KeyPair key) {
        return signed(draft, key, Jwts.SIG.ES256);
    }

    static String signed(JwtBuilder draft, KeyPair key, SignatureAlgorithm algorithm) {
        return draft.signWith(key.getPrivate(), algorithm).compact();
    }

    static String hash(String token) {
        return encoded(Sha256.of(token));
    }

    static String thumbprint(KeyPair key) {
        return hash(Json.text(new TreeMap<>(jwk(key)))); // A public key has only what RFC 7638 includes.
    }

    static Map<String, Object> jwk(KeyPair key) {
        var fields = new LinkedHashMap<String, Object>();
        Jwks.builder().key(key.getPublic()).build().forEach((name, value) -> fields.put(name, String.valueOf(value)));
        return fields;
    }

    /** Returns a proof that contains the secret half of its key, which no library signs. */
    static String withSecret(String proof, KeyPair key) {
        var jwk = jwk(key);
        jwk.put("d", encoded(((ECPrivateKey) key.getPrivate()).getS().toByteArray()));
        return signed(proof, "ES256", jwk, "SHA256withECDSAinP1363Format", key.getPrivate());
    }

    /** Returns the proof with another header and signature, which the library may refuse to make. */
    static String signed(String proof, String name, Map<String, Object> jwk, String algorithm, PrivateKey key) {
        var header = Json.object().put("typ", "dpop+jwt").put("alg", name);
        header.set("jwk", Json.valueTree(jwk));
        var content = encoded(Json.text(header).getBytes(StandardCharsets.UTF_8)) + "." + proof.split("\\.")[1];
        try {
            var signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return content + "." + encoded(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
