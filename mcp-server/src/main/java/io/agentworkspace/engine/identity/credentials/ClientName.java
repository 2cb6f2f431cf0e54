package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.text.Excerpt;
import org.jspecify.annotations.Nullable;

/**
 * A client program's name as it reports it, prepared for storage: on one line, limited in length, and without what
 * might be a key.
 */
public final class ClientName {
    private static final int MAX = 100;
    private static final int MAX_GIVEN = 400;

    private ClientName() {}

    /** Returns the form that is kept in memory. It is made readable only when written, since most names never are. */
    static @Nullable public String shortened(@Nullable String name) {
        return name == null ? null : Excerpt.cut(name, MAX_GIVEN);
    }

    static @Nullable public String readable(@Nullable String name) {
        return readable(name, MAX);
    }

    /** @param most the maximum number of characters to keep, not more than are kept in memory */
    static @Nullable public String readable(@Nullable String name, int most) {
        var text = shortened(name);
        if (text == null) {
            return null;
        }
        var plain = KeyFormat.masked(text.replaceAll("[\\p{Cntrl}\\p{Cs}\\p{Cf}\\s]+", " "))
                .strip();
        return plain.isEmpty() ? null : Excerpt.cut(plain, most);
    }
}
