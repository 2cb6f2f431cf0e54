package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The content of a browser session's cookie: 256 random bits and a checksum, which detects invalid values without a
 * look-up. Everything else is derived from it: the public id, the stored hash, the CSRF token. Its text form never
 * contains the secret.
 */
public final class SessionSecret implements Presented {
    /**
     * The cookie's name (decisions, section 7). Browsers accept this prefix only from the host itself, with Secure
     * and Path=/.
     */
    public static final String COOKIE = "__Host-engine_session";

    /** The header with which a page proves that it could read what only this server's pages can. */
    public static final String CSRF = "X-CSRF-Token";

    /** The beginning of a session's principal; the public id follows. */
    public static final String PRINCIPAL = "session:";

    private static final int BYTES = 32;
    private static final int ID_BYTES = 16;
    private static final Pattern SHAPE = Pattern.compile("(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{48}(?![A-Za-z0-9_-])");
    private static final String HMAC = "HmacSHA256";

    private final byte[] secret;

    private SessionSecret(byte[] secret) {
        this.secret = secret;
    }

    public static SessionSecret generate(SecureRandom source) {
        var secret = new byte[BYTES];
        source.nextBytes(secret);
        return new SessionSecret(secret);
    }

    /** @throws Problem {@code unauthenticated}, as for a session that has ended */
    static SessionSecret parse(String text) {
        try {
            var bytes = Base64.getUrlDecoder().decode(text);
            var secret = Arrays.copyOf(bytes, BYTES);
            if (written(secret).equals(text)) {
                return new SessionSecret(secret);
            }
        } catch (IllegalArgumentException e) {
            // Refused below, like any other invalid value.
        }
        throw ended();
    }

    /** Returns whether part of the text looks like such a cookie's content. */
    static boolean isIn(String text) {
        return SHAPE.matcher(text).results().anyMatch(found -> {
            var bytes = Base64.getUrlDecoder().decode(found.group());
            return written(Arrays.copyOf(bytes, BYTES)).equals(found.group());
        });
    }

    /** Returns the refusal for every session that is not valid, or no longer. */
    public static Problem ended() {
        return Problem.unauthenticated(
                "the session is not valid: signed out, expired or unknown; sign in again with POST /api/auth/session");
    }

    private static String written(byte[] secret) {
        var crc = new CRC32();
        crc.update(secret);
        return text(ByteBuffer.allocate(BYTES + Integer.BYTES)
                .put(secret)
                .putInt((int) crc.getValue())
                .array());
    }

    /** Returns the public part, which the session is looked up by, and which logs and principals contain. */
    public String id() {
        return text(Arrays.copyOf(derived("id"), ID_BYTES));
    }

    /** Returns the SHA-256 of the secret, which is stored. */
    public byte[] hash() {
        return Sha256.of(secret);
    }

    /** Returns whether this secret has the stored hash. Takes the same time in either case. */
    public boolean fits(byte[] storedHash) {
        return MessageDigest.isEqual(hash(), storedHash);
    }

    /** Returns the token that this server's pages send with every change. */
    public String csrfToken() {
        return text(derived("csrf"));
    }

    /** Returns whether the token is this session's CSRF token. Takes the same time in either case. */
    public boolean fitsCsrf(String token) {
        return MessageDigest.isEqual(
                csrfToken().getBytes(StandardCharsets.US_ASCII), token.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the cookie's value. */
    public String reveal() {
        return written(secret);
    }

    private byte[] derived(String purpose) {
        try {
            var mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(secret, HMAC));
            return mac.doFinal(purpose.getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + HMAC, e);
        }
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SessionSecret session && MessageDigest.isEqual(secret, session.secret);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(secret);
    }

    @Override
    public String toString() {
        return "session " + id();
    }
}
