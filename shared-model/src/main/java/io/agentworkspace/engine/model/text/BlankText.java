package io.agentworkspace.engine.model.text;

/** Texts in which nothing can be seen: white space of any script, control characters, and characters without a look. */
public final class BlankText {
    private BlankText() {}

    public static boolean isBlank(String text) {
        return text.codePoints().allMatch(BlankText::isInvisible);
    }

    private static boolean isInvisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> InvisibleCharacters.contain(c) || InvisibleCharacters.isVariationSelector(c);
        };
    }
}
