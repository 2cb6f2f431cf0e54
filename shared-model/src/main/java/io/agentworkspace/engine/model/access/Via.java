package io.agentworkspace.engine.model.access;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The source of a permission on a bank. */
public enum Via {
    /** The bank belongs to the user, or to the agent's owner. */
    OWNER,
    /** The user is an admin of the tenant. */
    ADMIN,
    /** Set with MB_Permissions, for this agent or for one of the user's. */
    GRANT,
    /** The bank's access setting lets everyone of its kind read. */
    ACCESS;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Via of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
