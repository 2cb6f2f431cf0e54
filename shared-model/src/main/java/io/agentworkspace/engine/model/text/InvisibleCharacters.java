package io.agentworkspace.engine.model.text;

/** Characters that cannot be seen although Unicode counts them as letters, marks or symbols, or reserves them. */
public final class InvisibleCharacters {
    private InvisibleCharacters() {}

    /** Returns whether the character looks like a space, or is never drawn (Unicode, "Default_Ignorable_Code_Point"). */
    public static boolean contain(int c) {
        return switch (c) {
            case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x16FE4, 0x1D159 -> true;
            case 0x34F, 0x17B4, 0x17B5, 0x2065 -> true;
            default -> c >= 0xFFF0 && c <= 0xFFF8 || c >= 0xE0000 && c <= 0xE0FFF && !isVariationSelector(c);
        };
    }

    /** Returns whether the character chooses a form of the one before it: of an emoji, or of a letter of Mongolian or Japanese. */
    public static boolean isVariationSelector(int c) {
        return c >= 0x180B && c <= 0x180F || c >= 0xFE00 && c <= 0xFE0F || c >= 0xE0100 && c <= 0xE01EF;
    }
}
