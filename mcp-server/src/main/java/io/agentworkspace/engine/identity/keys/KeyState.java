package io.agentworkspace.engine.identity.keys;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Whether a key works. */
enum KeyState {
    ACTIVE,
    EXPIRED,
    REVOKED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
