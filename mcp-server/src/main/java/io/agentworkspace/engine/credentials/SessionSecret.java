package io.agentworkspace.engine.credentials;

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
 * What the cookie of a browser's session holds: 256 random bits and a checksum, which tells what was never one of ours without
 * a look-up. All else about it is derived: the public id, the hash that is stored, the CSRF token. It never prints itself.
 */
public final class SessionSecret implements Presented {
    /** The cookie (decisions, section 7). Browsers take this prefix only from the host itself, with Secure and Path=/. */
    public static final String COOKIE = "__Host-engine_session";

    /** The header in which a browser's page proves that it could read what only our pages can. */
    public static final String CSRF = "X-CSRF-Token";

    /** How the principal of a session begins; its public id follows. */
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
            // It is refused like any other that is not ours.
        }
        throw ended();
    }

    /** Whether something in the text is what a cookie of ours holds. */
    static boolean isIn(String text) {
        return SHAPE.matcher(text).results().anyMatch(found -> {
            var bytes = Base64.getUrlDecoder().decode(found.group());
            return written(Arrays.copyOf(bytes, BYTES)).equals(found.group());
        });
    }

    /** The one answer to every session that is not, or no longer, good. */
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

    /** The public half: what the session is looked up by, and named by in logs and principals. */
    public String id() {
        return text(Arrays.copyOf(derived("id"), ID_BYTES));
    }

    /** SHA-256 of the secret: what is stored. */
    public byte[] hash() {
        return Sha256.of(secret);
    }

    /** Whether this is the secret whose hash was stored; takes the same time either way. */
    public boolean fits(byte[] storedHash) {
        return MessageDigest.isEqual(hash(), storedHash);
    }

    /** What a page of ours sends along with whatever changes something. */
    public String csrfToken() {
        return text(derived("csrf"));
    }

    /** Whether a page has sent this session's CSRF token; takes the same time either way. */
    public boolean fitsCsrf(String token) {
        return MessageDigest.isEqual(
                csrfToken().getBytes(StandardCharsets.US_ASCII), token.getBytes(StandardCharsets.UTF_8));
    }

    /** The cookie's value. */
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
