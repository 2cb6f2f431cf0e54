package io.agentworkspace.engine.rest;

/** What a client sent, made fit to be quoted in a note. */
final class Text {
    private static final int MAX = 80;

    private Text() {}

    static String shortened(String given) {
        return given.length() > MAX ? given.substring(0, MAX) + "…" : given;
    }
}
