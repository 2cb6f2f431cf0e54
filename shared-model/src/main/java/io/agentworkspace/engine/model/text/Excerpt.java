package io.agentworkspace.engine.model.text;

/** The beginning of a text that may be long, cut between characters and never within one. */
public final class Excerpt {
    private Excerpt() {}

    /**
     * Returns the text as quoted in a note. If it has more characters than the limit, an ellipsis replaces the rest.
     */
    public static String of(String text, int most) {
        var begin = cut(text, most);
        return begin.length() < text.length() ? begin + "…" : begin;
    }

    /** Returns the text's first characters, up to the limit. */
    public static String cut(String text, int most) {
        return text.length() <= most || text.codePointCount(0, text.length()) <= most
                ? text
                : text.substring(0, text.offsetByCodePoints(0, most));
    }
}
