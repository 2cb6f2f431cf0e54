package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Validates the path to which a browser returns after signing in. It must be on this server, and no parser may read it
 * as another place. The same check runs at the start and at the callback (decisions, section 7).
 */
final class ReturnPath {
    private static final int LONGEST = 1_000;

    /** The maximum number of nested percent-encodings. Real pages use at most one. */
    private static final int ENCODINGS = 4;

    /**
     * Segments with single slashes between them, none of them dots; then an optional query and an optional
     * fragment. No colon, no at sign.
     */
    private static final Pattern PATH = Pattern.compile("/|(?:/(?!\\.{1,2}(?:[/?#]|$))[\\w.~!$&'()*+,;=-]+)+/?");

    private static final Pattern REST = Pattern.compile("(?:\\?[\\w.~!$&'()*+,;=?-]*)?(?:#[\\w.~!$&'()*+,;=?-]*)?");
    private static final Pattern SPACE = Pattern.compile("%20");

    private ReturnPath() {}

    /**
     * @return the text, unchanged
     * @throws Problem {@code bad_request}
     */
    static String checked(String text) {
        if (!isOurs(text)) {
            throw new Problem(Failure.BAD_REQUEST, """
                    return_to must be a path on this server, such as /mcp-hub. It begins with one '/', followed by letters, digits, \
                    plain punctuation and single slashes, without a scheme, host, backslash or control character in any encoding\
                    """);
        }
        return text;
    }

    /** Returns whether the path is on this server however often a reader decodes it. */
    private static boolean isOurs(String text) {
        var read = SPACE.matcher(text).replaceAll("+");
        for (var round = 0; round <= ENCODINGS && read.length() <= LONGEST; round++) {
            if (read.indexOf('%') < 0) {
                return isPlain(read);
            }
            var decoded = decoded(read);
            if (decoded == null || marks(decoded) != marks(read)) {
                return false;
            }
            read = decoded;
        }
        return false;
    }

    private static boolean isPlain(String text) {
        var end = 0;
        while (end < text.length() && text.charAt(end) != '?' && text.charAt(end) != '#') {
            end++;
        }
        return PATH.matcher(text.substring(0, end)).matches()
                && REST.matcher(text.substring(end)).matches();
    }

    /** Counts the characters that structure an address. Decoding must not add any. */
    private static long marks(String text) {
        return text.chars().filter(c -> "/?#\\:@.".indexOf(c) >= 0).count();
    }

    private static @org.jspecify.annotations.Nullable String decoded(String text) {
        var bytes = new ByteArrayOutputStream();
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c >= 0x80) {
                return null;
            }
            if (c != '%') {
                bytes.write(c);
            } else {
                if (i + 2 >= text.length()) {
                    return null;
                }
                var high = Character.digit(text.charAt(i + 1), 16);
                var low = Character.digit(text.charAt(i + 2), 16);
                if (high < 0 || low < 0) {
                    return null;
                }
                bytes.write(high << 4 | low);
                i += 2;
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
