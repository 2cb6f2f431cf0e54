package io.agentworkspace.engine.model.access;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** A user's role in the tenant, lowest first. A viewer only reads; an admin sees and changes everything. */
public enum Role {
    VIEWER,
    MEMBER,
    ADMIN,
    OWNER;

    public boolean isAtLeast(Role other) {
        return compareTo(other) >= 0;
    }

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Role of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
