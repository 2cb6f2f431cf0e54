package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.Jwks;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
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
        return draft.signWith(key.getPrivate(), Jwts.SIG.ES256).compact();
    }

    static String hash(String token) {
        return encoded(Sha256.of(token));
    }

    static String thumbprint(KeyPair key) {
        return Jwks.builder()
                .key((ECPublicKey) key.getPublic())
                .build()
                .thumbprint(Jwks.HASH.SHA256)
                .toString();
    }

    static Map<String, Object> jwk(KeyPair key) {
        var fields = new LinkedHashMap<String, Object>();
        if (key.getPublic() instanceof ECPublicKey point) {
            Jwks.builder().key(point).build().forEach((name, value) -> fields.put(name, String.valueOf(value)));
        } else {
            var rsa = (RSAPublicKey) key.getPublic();
            Jwks.builder().key(rsa).build().forEach((name, value) -> fields.put(name, String.valueOf(value)));
        }
        return fields;
    }

    /** Returns a proof that contains the secret half of its key, which no library signs. */
    static String withSecret(String proof, KeyPair key) {
        var header = Json.object().put("typ", "dpop+jwt").put("alg", "ES256");
        var jwk = header.putObject("jwk");
        jwk(key).forEach((name, value) -> jwk.put(name, String.valueOf(value)));
        jwk.put("d", encoded(((ECPrivateKey) key.getPrivate()).getS().toByteArray()));
        var content = encoded(Json.text(header).getBytes(StandardCharsets.UTF_8)) + "." + proof.split("\\.")[1];
        try {
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(key.getPrivate());
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
