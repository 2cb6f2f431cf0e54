package io.agentworkspace.engine.model.text;

import java.text.Normalizer;
import java.util.regex.Pattern;

/**
 * A text without what readers do not see: marks of direction, characters of no width, variation selectors, fillers. Letters in compatible forms
 * (full width, mathematical) become plain ones, and the hidden letters of the block of tags become visible, since models read them.
 */
public final class VisibleText {
    private static final int FIRST_TAG = 0xE0020;
    private static final int LAST_TAG = 0xE007E;
    private static final int TAGS = 0xE0000;

    /** Format characters, controls other than white space, and others that have no glyph. */
    private static final Pattern INVISIBLE =
            Pattern.compile("[\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Cntrl}\\x{34F}\\x{115F}\\x{1160}"
                    + "\\x{17B4}\\x{17B5}\\x{180B}-\\x{180F}\\x{2800}\\x{3164}\\x{FE00}-\\x{FE0F}\\x{FFA0}\\x{E0100}-\\x{E01EF}"
                    + "&&[^\\t\\n\\r]]");

    private VisibleText() {}

    /** Returns the text without them. */
    public static String of(String text) {
        return INVISIBLE.matcher(readable(text)).replaceAll("");
    }

    /** Returns the text with a space for each row of them: they may stand between words. */
    public static String spaced(String text) {
        return INVISIBLE.matcher(readable(text)).replaceAll(" ");
    }

    /** Returns whether {@link #of} leaves the text as it is. */
    public static boolean isPlain(String text) {
        return text.chars().allMatch(c -> c < 0x7f && (c >= ' ' || c == '\n' || c == '\t' || c == '\r'));
    }

    private static String readable(String text) {
        var untagged = text.codePoints().anyMatch(VisibleText::isTag)
                ? text.codePoints()
                        .map(c -> isTag(c) ? c - TAGS : c)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString()
                : text;
        return Normalizer.normalize(untagged, Normalizer.Form.NFKC);
    }

    private static boolean isTag(int c) {
        return c >= FIRST_TAG && c <= LAST_TAG;
    }
}
