package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The record of a rule (decisions, section 10). */
@Titled
record Rule(
        @Doc("Its id.") UUID id,
        @Doc("Its name.") String name,
        @Doc("What it is for.") @Nullable String description,

        @Doc("Commands, families, or documents.") List<String> appliesTo,

        @Doc("The condition, in CEL.") String when,
        @Doc("Its template.") @Nullable String template,
        @Doc("The parameters of the template.") @Nullable ObjectNode parameters,
        @Doc("Its effect.") RuleEffect effect,
        @Doc("The message for refused callers.") String message,
        @Doc("Whether it is used.") boolean enabled,

        @Doc(value = "Higher ones come first.", min = -1_000)
        int priority,

        @Doc("shadow: it only counts.") RuleMode mode,
        @Doc("Tried at each save.") List<RuleExample> examples,
        @Doc("Increases with each change.") long revision,
        @Doc("When it was created.") Instant createdAt,
        @Doc("When it was last changed.") Instant updatedAt,
        @Doc("How often it matched.") Matches matches) {

    /** The requests that a rule has matched since its effect was last changed. */
    public record Matches(
            @Doc("Since when.") Instant since,

            @Doc("How many.") long count,

            @Doc("The last one.") @Nullable Instant lastAt,

            @Doc("How many could not be evaluated; a deny rule treats them as matches.")
            long failures,

            @Doc("The last one.") @Nullable Instant lastFailureAt,
            @Doc("Why.") @Nullable String lastFailure) {}
}
