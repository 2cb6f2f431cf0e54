package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Binds a sign-in to the browser that began it: 256 random bits in a cookie. State, nonce and PKCE verifier are derived
 * from it. None of them is stored, and nobody can compute them without the cookie.
 */
record BrowserSecret(String text) {
    private static final String COOKIE = "__Host-engine_signin";
    private static final String SET = COOKIE + "=%s; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=%d";
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9_-]{43}");
    private static final Pattern PAIR = Pattern.compile("(?:^|;)\\s*" + COOKIE + "=([^;]*)");

    static BrowserSecret generate(SecureRandom source) {
        var bytes = new byte[32];
        source.nextBytes(bytes);
        return new BrowserSecret(text(bytes));
    }

    /** Returns the secret in the request's cookie. Empty if there are several. */
    static Optional<BrowserSecret> of(HttpFields headers) {
        var found = headers.getFields(HttpHeader.COOKIE).stream()
                .flatMap(field -> PAIR.matcher(Objects.requireNonNullElse(field.getValue(), ""))
                        .results())
                .map(pair -> pair.group(1).strip())
                .toList();
        return found.size() == 1 && SHAPE.matcher(found.getFirst()).matches()
                ? Optional.of(new BrowserSecret(found.getFirst()))
                : Optional.empty();
    }

    String id() {
        return derived("id");
    }

    String state() {
        return derived("state");
    }

    String nonce() {
        return derived("nonce");
    }

    String verifier() {
        return derived("verifier");
    }

    /** Returns the PKCE challenge (RFC 7636, S256). */
    String challenge() {
        return text(Sha256.of(verifier()));
    }

    /** Returns the header that sets the cookie. */
    String set(long seconds) {
        return SET.formatted(text, seconds);
    }

    /** Returns the header that deletes the cookie. */
    static String clear() {
        return SET.formatted("", 0);
    }

    static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    private String derived(String purpose) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(text.getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
            return text(mac.doFinal(purpose.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public String toString() {
        return "browser secret";
    }
}
