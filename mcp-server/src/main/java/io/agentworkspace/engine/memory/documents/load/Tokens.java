package io.agentworkspace.engine.memory.documents.load;

/** Estimates the tokens of a text: one for four characters, and one for each character of scripts without spaces. */
final class Tokens {
    private static final int CHARACTERS = 4;

    private Tokens() {}

    static int of(String text) {
        var wide = 0;
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            wide += c >= 0x2E80 && c < 0xFB00 && !Character.isLowSurrogate(c) ? 1 : 0;
        }
        return wide + Math.ceilDiv(text.length() - wide, CHARACTERS);
    }
}
