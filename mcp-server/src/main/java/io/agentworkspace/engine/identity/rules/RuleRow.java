package io.agentworkspace.engine.identity.rules;

/** Turns a row of a rule {@code r} into its record. */
final class RuleRow {
    /** The record {@link Rule} as JSON. */
    static final String JSON = """
            jsonb_build_object('id', r.id, 'name', r.name, 'description', r.description, 'applies_to', r.applies_to,
                               'when', r.expression, 'template', r.template, 'parameters', r.parameters,
                               'effect', r.effect, 'message', r.message, 'enabled', r.enabled, 'priority', r.priority,
                               'mode', r.mode, 'examples', r.examples, 'revision', r.revision,
                               'created_at', r.created_at, 'updated_at', r.updated_at,
                               'matches', jsonb_build_object(
                                   'since', r.counted_since, 'count', r.matched, 'last_at', r.matched_at,
                                   'failures', r.failed, 'last_failure_at', r.failed_at, 'last_failure', r.failure))
            """;

    private RuleRow() {}
}
