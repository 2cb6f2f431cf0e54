package io.agentworkspace.engine.model.text;

/** Texts that PostgreSQL and UTF-8 can hold: they have no NUL, and no surrogate without its other half. */
public final class StorableText {
    private static final int REPLACEMENT = 0xFFFD;

    private StorableText() {}

    public static boolean isStorable(String text) {
        for (var i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            if (!isStorable(text.codePointAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isStorable(int c) {
        return c != 0 && (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE);
    }

    /** Returns the text with U+FFFD in place of each character that cannot be stored. */
    public static String replaced(String text) {
        return isStorable(text)
                ? text
                : text.codePoints()
                        .map(c -> isStorable(c) ? c : REPLACEMENT)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
    }
}
