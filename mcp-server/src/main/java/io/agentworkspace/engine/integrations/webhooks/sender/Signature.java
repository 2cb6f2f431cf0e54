package io.agentworkspace.engine.integrations.webhooks.sender;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs deliveries in two ways (decisions, section 8): the contract's {@code X-Service-Signature} is keyed with the
 * bytes of the whole secret string, that of Standard Webhooks with the decoded secret.
 */
public final class Signature {
    /** {@code t=<unix seconds>,v1=<hex>}, with a {@code ,v1=<hex>} for each secret. */
    public static final String HEADER = "X-Service-Signature";

    private static final String PREFIX = "whsec_";
    private static final int SECRET_BYTES = 32;
    private static final String HMAC = "HmacSHA256";

    private Signature() {}

    /** Returns a new secret: {@code whsec_} and 32 random bytes in base64. */
    public static String newSecret(SecureRandom random) {
        var bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        return PREFIX + Base64.getEncoder().encodeToString(bytes);
    }

    /**
     * Returns the headers that sign a delivery.
     *
     * @param id of the event, the same on every attempt
     * @param secrets the current one, then the overlapping one, if any
     */
    public static Map<String, String> headers(UUID id, Instant at, byte[] body, List<String> secrets) {
        var seconds = at.getEpochSecond();
        var headers = new LinkedHashMap<String, String>();
        headers.put(HEADER, ours(seconds, body, secrets));
        headers.put("webhook-id", id.toString());
        headers.put("webhook-timestamp", Long.toString(seconds));
        headers.put("webhook-signature", standard(id, seconds, body, secrets));
        return headers;
    }

    private static String ours(long seconds, byte[] body, List<String> secrets) {
        var signed = joined(seconds + ".", body);
        return secrets.stream()
                .map(secret -> HexFormat.of().formatHex(hmac(secret.getBytes(StandardCharsets.UTF_8), signed)))
                .map("v1="::concat)
                .collect(Collectors.joining(",", "t=" + seconds + ",", ""));
    }

    private static String standard(UUID id, long seconds, byte[] body, List<String> secrets) {
        var signed = joined(id + "." + seconds + ".", body);
        return secrets.stream()
                .map(secret -> Base64.getDecoder().decode(secret.substring(PREFIX.length())))
                .map(key -> "v1," + Base64.getEncoder().encodeToString(hmac(key, signed)))
                .collect(Collectors.joining(" "));
    }

    private static byte[] joined(String start, byte[] body) {
        var bytes = start.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(bytes.length + body.length)
                .put(bytes)
                .put(body)
                .array();
    }

    private static byte[] hmac(byte[] key, byte[] signed) {
        try {
            var mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac.doFinal(signed);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + HMAC, e);
        }
    }
}
