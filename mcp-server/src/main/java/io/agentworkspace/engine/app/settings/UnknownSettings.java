package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.model.problem.Near;
import java.util.Collection;
import java.util.List;

/**
 * Environment variables that look like settings but are not. They do not prevent the start, since Kubernetes, for
 * example, sets some.
 */
public final class UnknownSettings {
    private static final String PREFIX = "ENGINE_";

    /** A variable that the launcher uses. */
    private static final String MAX_HEAP = "ENGINE_MAX_HEAP";

    private UnknownSettings() {}

    /** Returns a line for each, without its value, which may be a secret. */
    public static List<String> of(Collection<String> names) {
        var vocabulary = Settings.ALL.stream().map(Setting::name).toList();
        return names.stream()
                .filter(name -> name.startsWith(PREFIX)
                        && !vocabulary.contains(name)
                        && !name.equals(MAX_HEAP)
                        && !OAuthSettings.isOne(name))
                .sorted()
                .map(name -> name + " is not a setting and has no effect" + meant(name, vocabulary))
                .toList();
    }

    private static String meant(String name, List<String> names) {
        var words = names.stream().map(UnknownSettings::word).toList();
        return Near.nearest(word(name), words, 1).stream()
                .findFirst()
                .map(near -> "; did you mean %s%s?".formatted(PREFIX, near))
                .orElse("");
    }

    /** Removes the common prefix, which would make any two names similar. */
    private static String word(String name) {
        return name.substring(PREFIX.length());
    }
}
