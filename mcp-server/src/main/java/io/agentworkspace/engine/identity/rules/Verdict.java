package io.agentworkspace.engine.identity.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a tenant's rules for a request or a document.
 *
 * @param denial why it is refused; null if it is accepted
 * @param noted the names of the enforced rules that matched
 */
public record Verdict(@Nullable Denial denial, List<String> noted) {
    public static final Verdict NONE = new Verdict(null, List.of());

    /** @param rule the name of the refusing rule */
    public record Denial(String rule, String message) {
        /** Returns the note for the refused caller. */
        public String note() {
            return "refused by the rule '%s': %s".formatted(rule, message);
        }
    }
}
