package io.agentworkspace.engine.identity.credentials;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * The format of an API key: {@code ek_<id 12 base62>_<secret 30 base62><crc 6 base62>}. The crc is the CRC-32 of the
 * ASCII bytes of everything before it (decisions, section 7), and detects a mistyped key without a look-up.
 */
public final class KeyFormat {
    static final String PREFIX = "ek_";

    /** The prefix of a key's secret that is an access token of the authorization server. */
    static final String TOKEN_PREFIX = "ea_";

    static final int ID = 12;
    static final int SECRET = 30;
    static final int CHECKSUM = 6;
    static final int LENGTH = PREFIX.length() + ID + 1 + SECRET + CHECKSUM;
    static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private static final Pattern SHAPE =
            Pattern.compile("e[ak]_[0-9A-Za-z]{%d}_[0-9A-Za-z]{%d}".formatted(ID, SECRET + CHECKSUM));
    private static final String LOOKALIKE = "e[acjkrs]_[0-9A-Za-z]{6,}_?[0-9A-Za-z]{16,}";
    private static final Pattern ANYWHERE = Pattern.compile(LOOKALIKE);

    /** Where a word begins: one of 1,500 random values of 86 characters has the same letters somewhere inside. */
    private static final Pattern AS_A_WORD = Pattern.compile("(?<![0-9A-Za-z_-])" + LOOKALIKE);

    private static final Pattern AUTHORIZATION_CODE = Pattern.compile("ec_[0-9A-Za-z]{48}");

    private KeyFormat() {}

    /** Returns why a text that begins like a key is not one; empty for a well-formed key. */
    static Optional<String> flaw(String text) {
        if (text.length() != LENGTH) {
            return Optional.of("it has %d characters, a key has %d".formatted(text.length(), LENGTH));
        }
        if (!SHAPE.matcher(text).matches()) {
            return Optional.of("it is not of the form ek_<12 letters or digits>_<36 letters or digits>");
        }
        var body = text.substring(0, LENGTH - CHECKSUM);
        return checksum(body).equals(text.substring(LENGTH - CHECKSUM))
                ? Optional.empty()
                : Optional.of("its checksum does not fit");
    }

    static String checksum(String preceding) {
        var crc = new CRC32();
        crc.update(preceding.getBytes(StandardCharsets.US_ASCII));
        var digits = new char[CHECKSUM];
        var rest = crc.getValue();
        for (var i = CHECKSUM - 1; i >= 0; i--) {
            digits[i] = ALPHABET.charAt((int) (rest % ALPHABET.length()));
            rest /= ALPHABET.length();
        }
        return new String(digits);
    }

    /** Returns a new public id, of 12 letters and digits. */
    public static String randomId(SecureRandom source) {
        return random(source, ID);
    }

    static String random(SecureRandom source, int length) {
        var text = new StringBuilder(length);
        for (var i = 0; i < length; i++) {
            text.append(ALPHABET.charAt(source.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }

    /** Returns the text with everything that looks like a key, a token or a code masked, so that it can be logged. */
    public static String masked(String text) {
        return text.indexOf('_') < 0 ? text : ANYWHERE.matcher(text).replaceAll("ek_…");
    }

    /** Returns whether the text looks like an authorization code of such a server, which is worthless without its verifier. */
    static boolean isAuthorizationCode(String text) {
        return AUTHORIZATION_CODE.matcher(text).matches();
    }

    /** Returns whether a word of the text begins like a key, a token or a code of this server. */
    public static boolean isIn(String text) {
        return AS_A_WORD.matcher(text).find();
    }
}
