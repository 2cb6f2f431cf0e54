package io.agentworkspace.engine.model.access;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** A permission on a bank, lowest first; each includes those before it. */
public enum Permission {
    NONE,
    /** To read its memories and to list who may. */
    READ,
    /** To add memories, and to replace one's own. */
    APPEND,
    /** To replace anybody's memories. */
    WRITE,
    /** To change the bank itself, its permissions, what is censored and what is in the trash. */
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
