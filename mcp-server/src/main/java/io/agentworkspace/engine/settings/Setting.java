package io.agentworkspace.engine.settings;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its name in the environment, what it does, what its text may be, and how that is read.
 *
 * @param name in the environment; the flag is the same word in kebab case without {@code ENGINE_}
 * @param fallback the text that stands where none is given; null for a setting that may stay unset
 * @param words what it does, for {@code --help}
 * @param right what a good value looks like, for whoever gave a bad one
 * @param secret whether its text must not be repeated
 */
public record Setting<T>(
        String name,
        @Nullable String fallback,
        String words,
        String right,
        boolean secret,
        Function<String, T> reader) {

    static <T> Setting<T> of(
            String name, @Nullable String fallback, String words, String right, Function<String, T> reader) {
        return new Setting<>(name, fallback, words, right, false, reader);
    }

    /** The same, its text kept to ourselves. */
    Setting<T> isSecret() {
        return new Setting<>(name, fallback, words, right, true, reader);
    }

    public String flag() {
        return "--"
                + name.substring("ENGINE_".length()).toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The value of a setting that has a fallback. */
    T read(Map<String, String> given) {
        T value = find(given);
        if (value == null) {
            throw new IllegalStateException(name + " has no fallback");
        }
        return value;
    }

    /** The value, or null where nothing is given and there is no fallback. Blank text counts as nothing. */
    @Nullable
    T find(Map<String, String> given) {
        String text = given.getOrDefault(name, "").strip();
        String chosen = text.isEmpty() ? fallback : text;
        if (chosen == null) {
            return null;
        }
        try {
            return reader.apply(chosen);
        } catch (IllegalArgumentException e) {
            throw new InvalidSetting(name + " must be " + right + (secret ? "" : ", not '" + chosen + "'"));
        }
    }
}
