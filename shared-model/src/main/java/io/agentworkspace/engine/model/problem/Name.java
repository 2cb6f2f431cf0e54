package io.agentworkspace.engine.model.problem;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.text.Excerpt;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;

/**
 * The name of an agent, domain, bank, zone or user (decisions, section 1): NFC, trimmed, 1–64 characters, letters,
 * digits, space, {@code _}, {@code -}, {@code .}; the case given is kept, comparison ignores it.
 */
public record Name(@JsonValue String text) {
    public static final int MAX = 64;
    static final String RULE = "must be 1–%d characters: letters, digits, space, '_', '-' or '.'".formatted(MAX);

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

    /** The key that names are compared by: equal for names that differ only in case. */
    public String key() {
        return key(text);
    }

    public static String key(String text) {
        return Normalizer.normalize(text.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT), Normalizer.Form.NFC);
    }

    /** A word of a request as quoted in a note. It may be long, and not a valid name. */
    public static String shortened(String word) {
        return Excerpt.of(word, MAX);
    }

    public static String normal(String raw) {
        return Normalizer.normalize(raw, Normalizer.Form.NFC).strip();
    }

    /** The rule that the raw text violates, if any. */
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

    /** What is wrong with a character of a text that is not empty. */
    static Optional<String> brokenCharacter(String text, String rule) {
        if (isMark(text.codePointAt(0))) {
            return Optional.of("%s; it begins with a mark, which needs a letter before it".formatted(rule));
        }
        return text.codePoints()
                .filter(c -> !allowed(c))
                .mapToObj(c -> "%s, and not %s".formatted(rule, shown(c)))
                .findFirst();
    }

    /** Invisible characters are reported by their code point alone. */
    private static String shown(int c) {
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

    /** Vowel signs and the like, without which names in many scripts cannot be written. */
    private static boolean isMark(int c) {
        var type = Character.getType(c);
        return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
    }

    @Override
    public String toString() {
        return text;
    }
}
