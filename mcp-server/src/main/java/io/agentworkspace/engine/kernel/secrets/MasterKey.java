package io.agentworkspace.engine.kernel.secrets;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key that seals secrets at rest: AES-256-GCM with a random nonce of 96 bits. A sealed text is
 * {@code v1.<key id>.<nonce and ciphertext in base64>}, and opens only for the place that it was sealed for. Its text
 * form never contains the key.
 */
public final class MasterKey {
    /** The length of a key, in bytes. */
    static final int BYTES = 32;

    private static final String VERSION = "v1";
    private static final int ID_BYTES = 6;
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final SecretKeySpec key;
    private final String id;

    private MasterKey(byte[] bytes) {
        key = new SecretKeySpec(bytes, "AES");
        id = id(bytes);
    }

    static MasterKey generate(SecureRandom source) {
        var bytes = new byte[BYTES];
        source.nextBytes(bytes);
        return new MasterKey(bytes);
    }

    /**
     * Reads 32 bytes in base64, of either alphabet, with or without padding.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static MasterKey parse(String base64) {
        var bytes = Base64.getDecoder().decode(base64.strip().replace('-', '+').replace('_', '/'));
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a master key has %d bytes".formatted(BYTES));
        }
        return new MasterKey(bytes);
    }

    /** Returns the key itself, for the file that stores it. */
    String reveal() {
        return Base64.getEncoder().encodeToString(key.getEncoded());
    }

    /** Returns an id that identifies the key without revealing anything about it. */
    private static String id(byte[] bytes) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(bytes, "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal("id".getBytes(StandardCharsets.US_ASCII)), 0, ID_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    /** Returns the key's id, which is part of everything that it has sealed. */
    public String id() {
        return id;
    }

    /** Returns whether this key has sealed the text. */
    boolean hasSealed(String text) {
        return text.startsWith(VERSION + "." + id + ".");
    }

    /** @param place what the secret belongs to, such as table, row and column */
    String seal(String place, byte[] secret) {
        var nonce = new byte[NONCE];
        new SecureRandom().nextBytes(nonce);
        try {
            var sealed = cipher(Cipher.ENCRYPT_MODE, place, nonce).doFinal(secret);
            var text = ByteBuffer.allocate(NONCE + sealed.length).put(nonce).put(sealed);
            return "%s.%s.%s".formatted(VERSION, id, Base64.getEncoder().encodeToString(text.array()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has AES-GCM", e);
        }
    }

    /** Returns the secret, if this key has sealed it for this place and it has not been changed since. */
    Optional<byte[]> open(String place, String text) {
        if (!hasSealed(text)) {
            return Optional.empty();
        }
        try {
            var bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text.substring(VERSION.length() + id.length() + 2)));
            var nonce = new byte[NONCE];
            bytes.get(nonce);
            var sealed = new byte[bytes.remaining()];
            bytes.get(sealed);
            return Optional.of(cipher(Cipher.DECRYPT_MODE, place, nonce).doFinal(sealed));
        } catch (GeneralSecurityException | IllegalArgumentException | java.nio.BufferUnderflowException e) {
            return Optional.empty();
        }
    }

    private Cipher cipher(int mode, String place, byte[] nonce) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    @Override
    public String toString() {
        return "master key " + id;
    }
}
