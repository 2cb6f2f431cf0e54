package io.agentworkspace.engine.model.text;

/** Text from a client, shortened for a note. */
public final class QuotedText {
    private static final int MAX = 80;

    private QuotedText() {}

    public static String shortened(String text) {
        return Excerpt.of(text, MAX);
    }
}
