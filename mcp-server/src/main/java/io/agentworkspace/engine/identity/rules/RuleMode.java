package io.agentworkspace.engine.identity.rules;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Titled;
import java.util.Locale;

/** Whether a rule has its effect. */
@Titled
enum RuleMode {
    ENFORCE,
    /** The rule only counts the requests that it matches. */
    SHADOW;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
