package io.agentworkspace.engine.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the rules of a tenant say of a request or a document.
 *
 * @param denial why it is refused; null if it is not
 * @param noted the names of the rules that matched and are enforced
 */
public record Verdict(@Nullable Denial denial, List<String> noted) {
    static final Verdict NONE = new Verdict(null, List.of());

    /** @param rule the name of the rule that refuses it */
    public record Denial(String rule, String message) {
        /** For whoever is refused. */
        public String note() {
            return "refused by the rule '%s': %s".formatted(rule, message);
        }
    }
}
