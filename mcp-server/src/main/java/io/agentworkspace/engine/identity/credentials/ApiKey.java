package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import java.security.MessageDigest;
import java.security.SecureRandom;

/** An API key in plain text, well-formed but not yet authenticated. Its text form never contains the secret. */
public final class ApiKey implements Presented {
    private final String prefix;
    private final String id;
    private final String secret;

    private ApiKey(String prefix, String id, String secret) {
        this.prefix = prefix;
        this.id = id;
        this.secret = secret;
    }

    public static ApiKey generate(SecureRandom source) {
        return withId(KeyFormat.random(source, KeyFormat.ID), source);
    }

    /** Returns a key with an existing id and a new secret, for rotation. */
    public static ApiKey withId(String id, SecureRandom source) {
        return new ApiKey(KeyFormat.PREFIX, id, KeyFormat.random(source, KeyFormat.SECRET));
    }

    /** Returns a new access token of the authorization server: the current secret of the key that a program got. */
    public static ApiKey token(String id, SecureRandom source) {
        return new ApiKey(KeyFormat.TOKEN_PREFIX, id, KeyFormat.random(source, KeyFormat.SECRET));
    }

    /** @throws Problem {@code unauthenticated}; the note distinguishes a mistyped key from other text */
    public static ApiKey parse(String text) {
        var isToken = text.startsWith(KeyFormat.TOKEN_PREFIX);
        if (!isToken && !text.startsWith(KeyFormat.PREFIX)) {
            throw Problem.unauthenticated("the credential is not in key format: an API key begins with ek_");
        }
        KeyFormat.flaw(text).ifPresent(flaw -> {
            throw Problem.unauthenticated("mistyped key: %s; copy the whole key again".formatted(flaw))
                    .because(Cause.KEY_MISTYPED);
        });
        var secretAt = KeyFormat.PREFIX.length() + KeyFormat.ID + 1;
        return new ApiKey(
                isToken ? KeyFormat.TOKEN_PREFIX : KeyFormat.PREFIX,
                text.substring(KeyFormat.PREFIX.length(), secretAt - 1),
                text.substring(secretAt, secretAt + KeyFormat.SECRET));
    }

    /** Returns the public part, which the key is looked up by. */
    public String id() {
        return id;
    }

    /** Returns whether it is an access token of the authorization server, which its program can renew. */
    public boolean isToken() {
        return prefix.equals(KeyFormat.TOKEN_PREFIX);
    }

    /** Returns the SHA-256 of the secret, which is stored. */
    public byte[] secretHash() {
        return Sha256.of(secret);
    }

    /** Returns whether this key has the stored hash. Takes the same time in either case. */
    public boolean fits(byte[] storedHash) {
        return MessageDigest.isEqual(secretHash(), storedHash);
    }

    /** Returns the whole key, to be shown once. */
    public String reveal() {
        var body = prefix + id + "_" + secret;
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
        return prefix + id + "_…";
    }
}
