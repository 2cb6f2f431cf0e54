package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A complete, validated rule that is about to be saved. */
record RuleDraft(
        Name name,
        @Nullable String description,
        List<String> appliesTo,
        String when,
        @Nullable String template,
        @Nullable ObjectNode parameters,
        RuleEffect effect,
        String message,
        boolean enabled,
        int priority,
        RuleMode mode,
        List<RuleExample> examples) {

    static RuleDraft of(Rule rule) {
        return new RuleDraft(
                Name.of(rule.name()),
                rule.description(),
                rule.appliesTo(),
                rule.when(),
                rule.template(),
                rule.parameters(),
                rule.effect(),
                rule.message(),
                rule.enabled(),
                rule.priority(),
                rule.mode(),
                rule.examples());
    }

    boolean isSameAs(Rule rule) {
        return equals(of(rule));
    }

    /** Returns whether the rule matches the same requests with the same effect. Name and order are ignored. */
    boolean doesTheSameAs(Rule rule) {
        return when.equals(rule.when())
                && appliesTo.equals(rule.appliesTo())
                && effect == rule.effect()
                && mode == rule.mode();
    }

    /** Returns the whole rule as JSON, for the audit. */
    String text() {
        return Json.text(this);
    }
}
