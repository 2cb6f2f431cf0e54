package io.agentworkspace.engine.model;

/** The beginning of a text that may be long, cut between characters and never within one. */
public final class Excerpt {
    private Excerpt() {}

    /** The text as a note repeats it: where it has more characters than these, an ellipsis stands for the rest. */
    public static String of(String text, int most) {
        var begin = cut(text, most);
        return begin.length() < text.length() ? begin + "…" : begin;
    }

    /** The text's first characters, at most so many. */
    public static String cut(String text, int most) {
        return text.length() <= most || text.codePointCount(0, text.length()) <= most
                ? text
                : text.substring(0, text.offsetByCodePoints(0, most));
    }
}
