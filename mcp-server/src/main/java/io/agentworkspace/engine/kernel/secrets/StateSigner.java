package io.agentworkspace.engine.kernel.secrets;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs data that clients carry and must not change (HMAC-SHA256). Data sealed for one purpose, principal or request is
 * not valid for another. The data is signed, not encrypted.
 */
public final class StateSigner {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int MAC = 32;

    private final SealKeys keys;

    public StateSigner(SealKeys keys) {
        this.keys = keys;
    }

    /** @param bound the context that the seal is valid for; it is not part of the text */
    public String seal(String bound, byte[] content) {
        var key = keys.newest();
        var sealed = ByteBuffer.allocate(Integer.BYTES + MAC + content.length)
                .putInt(key.id())
                .put(mac(key, bound, content))
                .put(content);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed.array());
    }

    /** Returns the content if it was sealed for this context with a key that is still accepted. */
    public Optional<byte[]> open(String bound, String text) {
        var bytes = decoded(text);
        if (bytes.length < Integer.BYTES + MAC) {
            return Optional.empty();
        }
        var sealed = ByteBuffer.wrap(bytes);
        var key = keys.find(sealed.getInt());
        var mac = new byte[MAC];
        sealed.get(mac);
        var content = new byte[sealed.remaining()];
        sealed.get(content);
        return key.filter(found -> MessageDigest.isEqual(mac, mac(found, bound, content)))
                .map(_ -> content);
    }

    /** Decodes the text; empty unless it is in the exact form that {@link #seal} writes. */
    private static byte[] decoded(String text) {
        try {
            var bytes = Base64.getUrlDecoder().decode(text);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(text) ? bytes : new byte[0];
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private static byte[] mac(SealKeys.SealKey key, String bound, byte[] content) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key.secret(), ALGORITHM));
            var name = bound.getBytes(StandardCharsets.UTF_8);
            mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(name.length).array());
            mac.update(name);
            return mac.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
