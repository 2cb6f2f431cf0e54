package io.agentworkspace.engine.app.setup;

import java.util.Locale;

/**
 * What one check found.
 *
 * @param about what was checked, in a word
 * @param words a sentence; if something is wrong, also what would be right
 */
public record Finding(Level level, String about, String words) {
    /** How bad it is: FAIL means that the engine does not start, or does not work for its clients. */
    public enum Level {
        OK,
        NOTE,
        WARN,
        FAIL
    }

    public static Finding ok(String about, String words, Object... values) {
        return new Finding(Level.OK, about, words.formatted(values));
    }

    public static Finding note(String about, String words, Object... values) {
        return new Finding(Level.NOTE, about, words.formatted(values));
    }

    static Finding warn(String about, String words, Object... values) {
        return new Finding(Level.WARN, about, words.formatted(values));
    }

    public static Finding fail(String about, String words, Object... values) {
        return new Finding(Level.FAIL, about, words.formatted(values));
    }

    /** Returns it as a line. */
    public String line() {
        return "%-4s  %-13s  %s%n".formatted(level.name().toLowerCase(Locale.ROOT), about, words);
    }
}
