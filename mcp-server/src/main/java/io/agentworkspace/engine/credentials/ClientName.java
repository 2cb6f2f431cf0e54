package io.agentworkspace.engine.credentials;

import io.agentworkspace.engine.model.text.Excerpt;
import org.jspecify.annotations.Nullable;

/** What a program calls itself, made fit to be kept: on one line, not too long, and without what might be a key. */
public final class ClientName {
    private static final int MAX = 100;
    private static final int MAX_GIVEN = 400;

    private ClientName() {}

    /** What is noted in memory; it is made readable only when it is written, since most of it never is. */
    static @Nullable public String shortened(@Nullable String name) {
        return name == null ? null : Excerpt.cut(name, MAX_GIVEN);
    }

    static @Nullable public String readable(@Nullable String name) {
        return readable(name, MAX);
    }

    /** @param most the characters that are kept of it, not more than are noted */
    static @Nullable public String readable(@Nullable String name, int most) {
        var given = shortened(name);
        if (given == null) {
            return null;
        }
        var plain = KeyFormat.masked(given.replaceAll("[\\p{Cntrl}\\p{Cs}\\p{Cf}\\s]+", " "))
                .strip();
        return plain.isEmpty() ? null : Excerpt.cut(plain, most);
    }
}
