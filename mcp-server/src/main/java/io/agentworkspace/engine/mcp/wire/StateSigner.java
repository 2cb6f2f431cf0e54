package io.agentworkspace.engine.mcp.wire;

import io.agentworkspace.engine.keys.SealKeys;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs what clients carry for us and must not change (HMAC-SHA256), together with what it belongs to: what was sealed
 * for one purpose, principal or request opens for no other. It is readable by its bearer.
 */
public final class StateSigner {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int MAC = 32;

    private final SealKeys keys;

    public StateSigner(SealKeys keys) {
        this.keys = keys;
    }

    /** @param bound what it belongs to; not part of the text */
    public String seal(String bound, byte[] content) {
        var key = keys.newest();
        var sealed = ByteBuffer.allocate(Integer.BYTES + MAC + content.length)
                .putInt(key.id())
                .put(mac(key, bound, content))
                .put(content);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed.array());
    }

    /** The content, if it was sealed here for this and by a key that is still believed. */
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

    /** Nothing for what is not written exactly as we write it. */
    private static byte[] decoded(String text) {
        try {
            var bytes = Base64.getUrlDecoder().decode(text);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(text) ? bytes : new byte[0];
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private static byte[] mac(SealKeys.Key key, String bound, byte[] content) {
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
