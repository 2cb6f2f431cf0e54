package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.UUID;

/** An enabled rule in the form in which it is applied. */
record ActiveRule(
        UUID id,
        String name,
        List<String> appliesTo,
        String expression,
        RuleEffect effect,
        RuleMode mode,
        String message) {
    /** The word in {@code appliesTo} of rules about documents. */
    static final String DOCUMENTS = "documents";

    boolean appliesTo(Tool<?, ?> tool) {
        return appliesTo(tool.name(), tool.family().word());
    }

    boolean appliesTo(String tool, String family) {
        return appliesTo.contains(tool) || appliesTo.contains(family);
    }

    boolean appliesToDocuments() {
        return appliesTo.contains(DOCUMENTS);
    }

    boolean denies() {
        return effect == RuleEffect.DENY && mode == RuleMode.ENFORCE;
    }

    boolean isNoted() {
        return mode == RuleMode.ENFORCE;
    }
}
