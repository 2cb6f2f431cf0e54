package io.agentworkspace.engine.model.access;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** A permission on a bank, lowest first. Each includes all lower ones. */
public enum Permission {
    NONE,
    /** Read the bank's memories and list its permissions. */
    READ,
    /** Add memories, and replace your own. */
    APPEND,
    /** Replace anyone's memories. */
    WRITE,
    /** Change the bank itself, its permissions, its censored memories and its trash. */
    MANAGE;

    public boolean includes(Permission other) {
        return compareTo(other) >= 0;
    }

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Permission of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
