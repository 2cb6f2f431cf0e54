package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.text.Sha256;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The code of an invitation, {@code ej_<22 base62><crc 6 base62>}, with the checksum of {@link KeyFormat}. Only its hash
 * is stored. Its text form never contains the code.
 */
public final class InvitationCode {
    private static final String PREFIX = "ej_";
    private static final int SECRET = 22;
    private static final Pattern SHAPE = Pattern.compile("ej_[0-9A-Za-z]{%d}".formatted(SECRET + KeyFormat.CHECKSUM));

    private final String text;

    private InvitationCode(String text) {
        this.text = text;
    }

    public static InvitationCode generate(SecureRandom source) {
        var body = PREFIX + KeyFormat.random(source, SECRET);
        return new InvitationCode(body + KeyFormat.checksum(body));
    }

    /** Returns the code in this text; empty if it is not well-formed, such as a mistyped one. */
    public static Optional<InvitationCode> find(String text) {
        var code = text.strip();
        if (!SHAPE.matcher(code).matches()) {
            return Optional.empty();
        }
        var end = code.length() - KeyFormat.CHECKSUM;
        return KeyFormat.checksum(code.substring(0, end)).equals(code.substring(end))
                ? Optional.of(new InvitationCode(code))
                : Optional.empty();
    }

    /** Returns the SHA-256 of the code, which is stored. */
    public byte[] hash() {
        return Sha256.of(text);
    }

    /** Returns the whole code, to be shown once. */
    public String reveal() {
        return text;
    }

    @Override
    public String toString() {
        return PREFIX + "…";
    }
}
