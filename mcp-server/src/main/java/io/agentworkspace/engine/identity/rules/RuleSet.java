package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

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

    /** Returns all rules but the one with this id. */
    List<ActiveRule> without(@Nullable UUID id) {
        return rules.stream().filter(rule -> !rule.id().equals(id)).toList();
    }

    List<ActiveRule> ofDocuments() {
        return rules.stream().filter(ActiveRule::appliesToDocuments).toList();
    }
}
