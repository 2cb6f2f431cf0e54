package io.agentworkspace.engine.model.access;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Who may see a thing, besides its owner and admins (decisions, section 4). */
public enum Access {
    PRIVATE,
    AGENT,
    DOMAIN,
    BANK,
    PUBLIC;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Access of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
