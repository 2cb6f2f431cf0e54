package io.agentworkspace.engine.kernel.text;

import io.agentworkspace.engine.model.text.InvisibleCharacters;
import java.text.Normalizer;
import java.util.Optional;

/** Text that looks like another one: with characters that are invisible or change its direction, or in full-width letters. */
public final class DeceptiveText {
    private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
    private static final int ZERO_WIDTH_JOINER = 0x200D;
    private static final int COMBINING_KEYCAP = 0x20E3;

    private DeceptiveText() {}

    /** Returns what is deceptive in the text, for a note: "the invisible character U+202E". */
    public static Optional<String> find(String text) {
        var characters = text.codePoints().toArray();
        for (var i = 0; i < characters.length; i++) {
            var before = i == 0 ? ' ' : characters[i - 1];
            var after = i + 1 == characters.length ? ' ' : characters[i + 1];
            if (isInvisible(characters[i]) && !joins(characters[i], before)
                    || InvisibleCharacters.isVariationSelector(characters[i]) && !selects(before, after)) {
                return Optional.of("the invisible character U+%04X".formatted(characters[i]));
            }
        }
        for (var word : text.split("/")) {
            var twin = word.codePoints().filter(DeceptiveText::isTwin).findFirst();
            if (twin.isPresent() && isAscii(compatible(word))) {
                return Optional.of("'%s' (U+%04X), a twin of '%s'"
                        .formatted(
                                Character.toString(twin.getAsInt()),
                                twin.getAsInt(),
                                compatible(Character.toString(twin.getAsInt()))));
            }
        }
        return Optional.empty();
    }

    /** Emoji, and languages such as Persian and Hindi, have joiners between characters. */
    private static boolean joins(int character, int before) {
        return (character == ZERO_WIDTH_JOINER || character == ZERO_WIDTH_NON_JOINER) && before > '\u02ff';
    }

    /** Returns whether the character before a selector has another form: plain letters have none, digits have one on keys. */
    private static boolean selects(int before, int after) {
        return before > '\u02ff' || before == '\u00a9' || before == '\u00ae' || after == COMBINING_KEYCAP;
    }

    private static boolean isInvisible(int character) {
        return InvisibleCharacters.contain(character)
                || switch (Character.getType(character)) {
                    case Character.FORMAT, Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                        character != '\n' && character != '\t' && character != '\r';
                    default -> false;
                };
    }

    /** A letter, digit or sign that is an ASCII character in another width or typeface. Powers and numbers in circles are not. */
    private static boolean isTwin(int character) {
        var isOwn = switch (Character.getType(character)) {
            case Character.OTHER_NUMBER, Character.MODIFIER_LETTER, Character.SPACE_SEPARATOR -> true;
            default -> character <= '\u00ba'; // ASCII, and the ordinal indicators.
        };
        if (isOwn) {
            return false;
        }
        var plain = compatible(Character.toString(character));
        return plain.length() == 1 && isAscii(plain);
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(each -> each < 128);
    }

    private static String compatible(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKC);
    }
}
