package io.agentworkspace.engine.credentials;

import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import java.security.MessageDigest;
import java.security.SecureRandom;

/** An API key in the clear, well-formed but not yet known to be anyone's. It never prints its secret. */
public final class ApiKey implements Presented {
    private final String id;
    private final String secret;

    private ApiKey(String id, String secret) {
        this.id = id;
        this.secret = secret;
    }

    public static ApiKey generate(SecureRandom source) {
        return withId(KeyFormat.random(source, KeyFormat.ID), source);
    }

    /** A new secret under an id that stays: what rotation hands out. */
    public static ApiKey withId(String id, SecureRandom source) {
        return new ApiKey(id, KeyFormat.random(source, KeyFormat.SECRET));
    }

    /** @throws Problem {@code unauthenticated}, saying whether the text is a mistyped key or no key at all */
    public static ApiKey parse(String text) {
        if (!text.startsWith(KeyFormat.PREFIX)) {
            throw Problem.unauthenticated("the credential is not in key format: an API key begins with ek_");
        }
        KeyFormat.flaw(text).ifPresent(flaw -> {
            throw Problem.unauthenticated("mistyped key: %s; copy the whole key again".formatted(flaw))
                    .because(Cause.KEY_MISTYPED);
        });
        var secretAt = KeyFormat.PREFIX.length() + KeyFormat.ID + 1;
        return new ApiKey(
                text.substring(KeyFormat.PREFIX.length(), secretAt - 1),
                text.substring(secretAt, secretAt + KeyFormat.SECRET));
    }

    /** The public half: what the key is looked up by. */
    public String id() {
        return id;
    }

    /** SHA-256 of the secret: what is stored. */
    public byte[] secretHash() {
        return Sha256.of(secret);
    }

    /** Whether this is the key whose hash was stored; takes the same time either way. */
    public boolean fits(byte[] storedHash) {
        return MessageDigest.isEqual(secretHash(), storedHash);
    }

    /** The whole key, to be shown once. */
    public String reveal() {
        var body = KeyFormat.PREFIX + id + "_" + secret;
        return body + KeyFormat.checksum(body);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ApiKey key && id.equals(key.id) && fits(key.secretHash());
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return KeyFormat.PREFIX + id + "_…";
    }
}
