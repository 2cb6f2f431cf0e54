package io.agentworkspace.engine.model.rule;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a rule does with what it matches. */
public enum RuleEffect {
    /** It is refused. */
    DENY,
    /** The rule's name is noted in its audit entry. */
    AUDIT;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
