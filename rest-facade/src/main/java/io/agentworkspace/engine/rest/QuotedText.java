package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.text.Excerpt;

/** Text from a client, shortened for a note. */
final class QuotedText {
    private static final int MAX = 80;

    private QuotedText() {}

    static String shortened(String given) {
        return Excerpt.of(given, MAX);
    }
}
