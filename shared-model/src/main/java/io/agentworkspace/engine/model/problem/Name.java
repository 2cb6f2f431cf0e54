package io.agentworkspace.engine.model.problem;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.text.Excerpt;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name of an agent, domain, bank, zone or user (decisions, section 1): NFC, trimmed, 1–64 characters. Letters,
 * digits, space, {@code _}, {@code -} and {@code .} are allowed, and in the name of a sub-agent one {@code /}. The given spelling is kept; names are compared by {@link #key()}.
 */
public record Name(@JsonValue String text) {
    public static final int MAX = 64;
    static final String RULE = "must be 1–%d characters: letters, digits, space, '_', '-' or '.'".formatted(MAX);

    private static final Pattern BLANKS = Pattern.compile("(?U)\\s+");

    /** Marks without a look of their own. */
    private static final Pattern GLYPH_SELECTORS = Pattern.compile(
            "[\\x{34F}\\x{17B4}\\x{17B5}\\x{180B}-\\x{180D}\\x{180F}\\x{FE00}-\\x{FE0F}\\x{E0100}-\\x{E01EF}]");

    public Name {
        text = normal(text);
    }

    @JsonCreator
    public static Name of(String text) {
        return new Name(text);
    }

    /** @throws Problem {@code invalid_field} naming the field and the rule */
    public static Name checked(String field, String raw) {
        broken(raw).ifPresent(rule -> {
            throw Problem.invalid(field, rule);
        });
        return new Name(raw);
    }

    /**
     * Returns the key that names are compared by: equal for names that differ only in case, in compatible forms of
     * characters, such as full-width letters, in the number of blanks, or in marks that select a glyph.
     */
    public String key() {
        return key(text);
    }

    /** Returns {@link #key()} of any text. The key of a key is the key itself. Only Java computes keys, never SQL. */
    public static String key(String text) {
        if (isOfAscii(text)) {
            return text.toLowerCase(Locale.ROOT);
        }
        var plain = GLYPH_SELECTORS.matcher(compatible(text)).replaceAll("");
        // Lower case first: the capital sharp s (U+1E9E) has an upper case only by way of the small one.
        var folded = plain.toLowerCase(Locale.ROOT)
                .toUpperCase(Locale.ROOT)
                .toLowerCase(Locale.ROOT)
                .replace('\u03c2', '\u03c3'); // The small sigma has another form at the end of a word.
        return BLANKS.matcher(compatible(folded)).replaceAll(" ").strip();
    }

    /** Returns whether a text has only visible ASCII characters, with single blanks between them: the usual names. */
    private static boolean isOfAscii(String text) {
        var isBlank = true;
        for (var i = 0; i < text.length(); i++) {
            var each = text.charAt(i);
            if (each > '~' || each < ' ' || each == ' ' && isBlank) {
                return false;
            }
            isBlank = each == ' ';
        }
        return !isBlank;
    }

    private static String compatible(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKC);
    }

    /** Returns a word of a request, shortened for a note. The word may be long, and need not be a valid name. */
    public static String shortened(String word) {
        return Excerpt.of(word, MAX);
    }

    public static String normal(String raw) {
        return Normalizer.normalize(raw, Normalizer.Form.NFC).strip();
    }

    /** Returns the rule that the raw text violates, if any. */
    public static Optional<String> broken(String raw) {
        if (raw.length() > 1_000) {
            return Optional.of(RULE);
        }
        var text = normal(raw);
        var length = text.codePointCount(0, text.length());
        if (length < 1 || length > MAX) {
            return Optional.of("%s; it has %d".formatted(RULE, length));
        }
        return brokenCharacter(text, RULE);
    }

    /**
     * Returns the rule that the raw text violates as the name of an agent that exists: a sub-agent has the name of its parent, a
     * slash, and a name of its own. No other name has a slash, so only a tool that makes sub-agents makes one.
     */
    public static Optional<String> brokenMention(String raw) {
        var text = normal(raw);
        var slash = text.indexOf('/');
        if (slash < 0 || text.codePointCount(0, text.length()) > MAX) {
            return broken(raw);
        }
        return broken(text.substring(0, slash)).or(() -> broken(text.substring(slash + 1)));
    }

    /** @throws Problem {@code invalid_field} naming the field and the rule */
    public static Name mentioned(String field, String raw) {
        brokenMention(raw).ifPresent(rule -> {
            throw Problem.invalid(field, rule);
        });
        return new Name(raw);
    }

    /** Returns what is wrong with a character of a non-empty text; empty if nothing is. */
    static Optional<String> brokenCharacter(String text, String rule) {
        if (isMark(text.codePointAt(0))) {
            return Optional.of("%s; it begins with a mark, which needs a letter before it".formatted(rule));
        }
        return text.codePoints()
                .filter(c -> !allowed(c))
                .mapToObj(c -> "%s, and not %s".formatted(rule, label(c)))
                .findFirst();
    }

    /** Returns a character for a note: an invisible one only as its code point. */
    private static String label(int c) {
        var number = "U+%04X".formatted(c);
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> number;
            default -> "'%s' (%s)".formatted(Character.toString(c), number);
        };
    }

    private static boolean allowed(int c) {
        return Character.isLetterOrDigit(c) || isMark(c) || c == ' ' || c == '_' || c == '-' || c == '.';
    }

    /**
     * Returns whether the character is a combining mark, such as a vowel sign. Names in many scripts cannot be
     * written without them.
     */
    private static boolean isMark(int c) {
        var type = Character.getType(c);
        return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
    }

    @Override
    public String toString() {
        return text;
    }
}
