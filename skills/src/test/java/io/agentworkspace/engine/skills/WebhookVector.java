package io.agentworkspace.engine.skills;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;

/** Computes the signatures of a webhook delivery: the service's own, and those of Standard Webhooks. */
final class WebhookVector {
    private WebhookVector() {}

    static void verify(JsonNode vector) {
        var secret = vector.get("secret").asString();
        var t = vector.get("t").asString();
        var body = vector.get("body").asString();
        var own = hmac(secret.getBytes(StandardCharsets.UTF_8), t + "." + body);
        assertThat(vector.get("x_service_signature").asString())
                .isEqualTo("t=%s,v1=%s".formatted(t, HexFormat.of().formatHex(own)));
        var decoded = Base64.getDecoder().decode(secret.substring("whsec_".length()));
        assertThat(decoded).hasSize(32);
        var standard =
                hmac(decoded, "%s.%s.%s".formatted(vector.get("webhook_id").asString(), t, body));
        assertThat(vector.get("webhook_signature").asString())
                .isEqualTo("v1," + Base64.getEncoder().encodeToString(standard));
    }

    private static byte[] hmac(byte[] key, String signed) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(signed.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
