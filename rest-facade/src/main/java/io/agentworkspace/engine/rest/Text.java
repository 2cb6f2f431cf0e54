package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.Excerpt;

/** What a client sent, made fit to be quoted in a note. */
final class Text {
    private static final int MAX = 80;

    private Text() {}

    static String shortened(String given) {
        return Excerpt.of(given, MAX);
    }
}
