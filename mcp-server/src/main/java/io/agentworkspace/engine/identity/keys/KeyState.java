package io.agentworkspace.engine.identity.keys;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Titled;
import java.util.Locale;

/** Whether a key works. */
@Titled
enum KeyState {
    ACTIVE,
    EXPIRED,
    REVOKED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
