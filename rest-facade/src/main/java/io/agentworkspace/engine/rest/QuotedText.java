package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.text.Excerpt;

/** What a client sent, made fit to be quoted in a note. */
final class QuotedText {
    private static final int MAX = 80;

    private QuotedText() {}

    static String shortened(String given) {
        return Excerpt.of(given, MAX);
    }
}
