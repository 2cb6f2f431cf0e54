package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.Base64;
import tools.jackson.databind.node.ObjectNode;

/** Signs documents that the engine publishes, with the key of its access tokens: a JWS whose payload is the document (RFC 7515). */
public final class DocumentSigner {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final SigningKeyStore keys;
    private final String keySet;

    /** @param keySet where the public keys are published */
    DocumentSigner(SigningKeyStore keys, String keySet) {
        this.keys = keys;
        this.keySet = keySet;
    }

    /** Returns the protected header and the signature, both encoded. */
    public ObjectNode sign(byte[] document) {
        var signer = keys.signer();
        var header = Json.object()
                .put("alg", "ES256")
                .put("jku", keySet)
                .put("kid", signer.id())
                .put("typ", "JOSE");
        var encoded = BASE64.encodeToString(Json.bytes(header));
        try {
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(signer.key());
            signature.update((encoded + "." + BASE64.encodeToString(document)).getBytes(StandardCharsets.US_ASCII));
            return Json.object().put("protected", encoded).put("signature", BASE64.encodeToString(signature.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK signs with P-256", e);
        }
    }
}
