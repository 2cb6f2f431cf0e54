package io.agentworkspace.engine.rules;

import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The enabled rules of a tenant, in the order of their application. */
final class RuleSet {
    static final RuleSet NONE = new RuleSet(List.of());

    private final List<ActiveRule> rules;
    private final Map<String, List<ActiveRule>> byTool = new ConcurrentHashMap<>();

    RuleSet(List<ActiveRule> rules) {
        this.rules = List.copyOf(rules);
    }

    List<ActiveRule> of(Tool<?, ?> tool) {
        if (rules.isEmpty()) {
            return List.of();
        }
        return byTool.computeIfAbsent(
                tool.name(),
                _ -> rules.stream().filter(rule -> rule.appliesTo(tool)).toList());
    }

    List<ActiveRule> ofDocuments() {
        return rules.stream().filter(ActiveRule::appliesToDocuments).toList();
    }
}
