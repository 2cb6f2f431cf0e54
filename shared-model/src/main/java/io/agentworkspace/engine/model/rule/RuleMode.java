package io.agentworkspace.engine.model.rule;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Whether a rule has its effect. */
public enum RuleMode {
    ENFORCE,
    /** It only counts what it matches. */
    SHADOW;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
