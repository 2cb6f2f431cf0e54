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
            default -> isFiller(c) || isIgnorable(c);
        };
    }

    /** Letters and symbols that look like a space. */
    private static boolean isFiller(int c) {
        return switch (c) {
            case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x16FE4, 0x1D159 -> true;
            default -> false;
        };
    }

    /** Marks and reserved code points that are never drawn (Unicode, "Default_Ignorable_Code_Point"). */
    private static boolean isIgnorable(int c) {
        return c == 0x34F
                || c == 0x17B4
                || c == 0x17B5
                || c == 0x2065
                || c >= 0x180B && c <= 0x180F
                || c >= 0xFE00 && c <= 0xFE0F
                || c >= 0xFFF0 && c <= 0xFFF8
                || c >= 0xE0000 && c <= 0xE0FFF;
    }
}
