package io.agentworkspace.engine.skills;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One file of a skill.
 *
 * @param path relative to the skill's folder, with {@code /} between its parts
 * @param digest {@code sha256:} and 64 lower-case hexadecimal digits, over the bytes
 * @param bytes its content; not to be changed
 */
public record SkillFile(String path, String mediaType, String digest, byte[] bytes) {
    static final int MAX_BYTES = 1024 * 1024;
    static final int MAX_DEPTH = 8;
    static final int MAX_PATH = 255;

    private static final String MARKS = " ._-+@(),=~#&!'";

    /** Letters that are invisible: the fillers of Hangul. */
    private static final String INVISIBLE = "\u115f\u1160\u3164\uffa0";

    /**
     * The names that Windows treats as devices, whatever follows the first dot (Microsoft, "Naming Files, Paths, and
     * Namespaces").
     */
    private static final Pattern DEVICE =
            Pattern.compile("(?i)(?:con|prn|aux|nul|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\\..*)?");

    /**
     * @throws Problem {@code invalid_field} for a path that would leave the folder or that is not valid in a URI
     *     or on a file system, {@code too_large} for a file over its limit
     */
    public static SkillFile of(String path, byte[] bytes) {
        checkPath(path);
        return stored(path, bytes);
    }

    /** Returns a stored file. Its path was checked by the rules that applied when it was stored. */
    public static SkillFile stored(String path, byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw Problem.tooLarge("the file '%s'".formatted(path), bytes.length, MAX_BYTES, "bytes");
        }
        return new SkillFile(path, MediaTypes.of(path, bytes), digest(bytes), bytes);
    }

    public int size() {
        return bytes.length;
    }

    /** Returns the content of a text file; empty if it is not text in UTF-8. */
    public Optional<String> text() {
        return MediaTypes.isText(mediaType) ? decoded(bytes) : Optional.empty();
    }

    static Optional<String> decoded(byte[] bytes) {
        try {
            var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return Optional.of(text.toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    static void checkPath(String path) {
        if (path.length() > MAX_PATH) {
            throw Problem.tooLarge("a file's path", path.length(), MAX_PATH, "characters");
        }
        var parts = path.split("/", -1);
        if (parts.length > MAX_DEPTH) {
            throw Problem.invalid(
                    quoted(path), "has too many parts: at most %d folders and names are allowed".formatted(MAX_DEPTH));
        }
        for (var part : parts) {
            checkPart(path, part);
        }
    }

    private static void checkPart(String path, String part) {
        if (part.isEmpty() || part.equals(".") || part.equals("..")) {
            throw Problem.invalid(
                    quoted(path),
                    "must be relative to the skill's folder and stay in it: no '/' at its ends, no '.', no '..'");
        }
        if (part.endsWith(".") || DEVICE.matcher(part).matches()) {
            throw Problem.invalid(
                    quoted(path),
                    "must be valid on Windows too: no part ends in '.' or is a reserved name like CON or nul.txt");
        }
        var fine = part.equals(part.strip())
                && Normalizer.isNormalized(part, Normalizer.Form.NFC)
                && part.codePoints().allMatch(SkillFile::allowed);
        if (!fine) {
            throw Problem.invalid(
                    quoted(path),
                    "must be made of letters and digits (NFC), spaces inside, and %s".formatted(MARKS.strip()));
        }
    }

    private static boolean allowed(int c) {
        return Character.isLetterOrDigit(c) && INVISIBLE.indexOf(c) < 0
                || Character.getType(c) == Character.NON_SPACING_MARK
                || Character.getType(c) == Character.COMBINING_SPACING_MARK
                || MARKS.indexOf(c) >= 0;
    }

    private static String quoted(String path) {
        var text = path.codePoints()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append);
        return "the path '%s'".formatted(text);
    }

    /** Returns the digest: {@code sha256:} and 64 lower-case hexadecimal digits. */
    static String digest(byte[] bytes) {
        return "sha256:" + Sha256.hex(bytes);
    }
}
