package io.agentworkspace.engine;

/** The first API key of a fresh installation, as it is shown: once, framed, on standard output. */
record FirstKey(String key) {

    String framed() {
        return """
                +%1$s+
                |  The first API key, shown only this once:%2$s|
                |%3$s|
                |  %4$s  |
                +%1$s+
                """.formatted(
                        "-".repeat(width()), " ".repeat(width() - 42), " ".repeat(width()), key + " ".repeat(width() - 4 - key.length()));
    }

    private int width() {
        return Math.max(key.length(), 40) + 4;
    }

    /** Never the key itself, should this end up in a log. */
    @Override
    public String toString() {
        return "FirstKey";
    }
}
