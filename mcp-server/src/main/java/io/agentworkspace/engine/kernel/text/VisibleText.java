package io.agentworkspace.engine.kernel.text;

import io.agentworkspace.engine.model.text.InvisibleCharacters;
import java.text.Normalizer;

/**
 * A text without what readers do not see: marks of direction, characters of no width, variation selectors, fillers. Letters in compatible forms
 * (full width, mathematical) become plain ones, and the hidden letters of the block of tags become visible, since models read them.
 */
public final class VisibleText {
    private static final int FIRST_TAG = 0xE0020;
    private static final int LAST_TAG = 0xE007E;
    private static final int TAGS = 0xE0000;

    private VisibleText() {}

    /** Returns the text without them. */
    public static String of(String text) {
        return replaced(readable(text), "");
    }

    /** Returns the text with a space for each row of them: they may stand between words. */
    public static String spaced(String text) {
        return replaced(readable(text), " ");
    }

    private static String replaced(String text, String by) {
        var visible = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (isInvisible(c)) {
                visible.append(by);
            } else {
                visible.appendCodePoint(c);
            }
        });
        return visible.toString();
    }

    private static boolean isInvisible(int c) {
        return switch (Character.getType(c)) {
            case Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED -> true;
            case Character.CONTROL -> c != '\t' && c != '\n' && c != '\r';
            default -> InvisibleCharacters.contain(c) || InvisibleCharacters.isVariationSelector(c);
        };
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
