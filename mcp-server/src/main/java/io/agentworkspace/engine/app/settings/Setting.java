package io.agentworkspace.engine.app.settings;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its name in the environment, what it does, which texts are valid, and how they are parsed.
 *
 * @param name in the environment; the flag is the same word in kebab case without {@code ENGINE_}
 * @param fallback the text that applies if none is given; null for a setting that may stay unset
 * @param words what it does, for {@code --help}
 * @param right what a valid value looks like, for the message about an invalid one
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

    /** Returns the same setting with its text kept secret. */
    Setting<T> isSecret() {
        return new Setting<>(name, fallback, words, right, true, reader);
    }

    public String flag() {
        return "--"
                + name.substring("ENGINE_".length()).toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the value of a setting that has a fallback. */
    T read(Map<String, String> values) {
        T value = find(values);
        if (value == null) {
            throw new IllegalStateException(name + " has no fallback");
        }
        return value;
    }

    /** Returns the value, or null if nothing is given and there is no fallback. Blank text counts as nothing. */
    @Nullable
    T find(Map<String, String> values) {
        String text = values.getOrDefault(name, "").strip();
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
