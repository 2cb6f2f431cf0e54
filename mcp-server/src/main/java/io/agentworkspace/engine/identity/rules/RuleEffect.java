package io.agentworkspace.engine.identity.rules;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Titled;
import java.util.Locale;

/** What a rule does with the requests that it matches. */
@Titled
enum RuleEffect {
    /** The request is refused. */
    DENY,
    /** The rule's name is recorded in the request's audit entry. */
    AUDIT;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
