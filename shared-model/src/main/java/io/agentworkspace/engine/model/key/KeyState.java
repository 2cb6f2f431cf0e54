package io.agentworkspace.engine.model.key;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Whether a key works. */
public enum KeyState {
    ACTIVE,
    EXPIRED,
    REVOKED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
