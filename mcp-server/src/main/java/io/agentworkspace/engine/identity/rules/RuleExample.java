package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import tools.jackson.databind.node.ObjectNode;

/** A request that the rule is tested with each time it is saved. */
@Titled
record RuleExample(
        @Doc("service, and what the rule looks at: target, vx, content, principal, document, now.")
        ObjectNode request,

        @Doc(
                value = "Whether the rule matches it.",
                oneOf = {RuleExample.MATCHES, RuleExample.PASSES})
        String expected) {
    public static final String MATCHES = "matches";
    public static final String PASSES = "passes";
}
