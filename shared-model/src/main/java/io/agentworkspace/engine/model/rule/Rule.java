package io.agentworkspace.engine.model.rule;

import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The record of a rule (decisions, section 10). */
public record Rule(
        @Doc("Its id.") UUID id,
        @Doc("Its name.") String name,
        @Doc("What it is for.") @Nullable String description,

        @Doc("Commands, families, or documents.") List<String> appliesTo,

        @Doc("The condition, in CEL.") String when,
        @Doc("The template it was made from.") @Nullable String template,
        @Doc("What the template was given.") @Nullable ObjectNode parameters,
        @Doc("What it does with what it matches.") RuleEffect effect,
        @Doc("What whoever is denied reads.") String message,
        @Doc("Whether it is used.") boolean enabled,

        @Doc(value = "Rules with a greater one come first.", min = -1_000)
        int priority,

        @Doc("shadow: it only counts.") RuleMode mode,
        @Doc("What it is tried on at each save.") List<RuleExample> examples,
        @Doc("Grows with each change.") long revision,
        @Doc("When it was made.") Instant createdAt,
        @Doc("When it was last changed.") Instant updatedAt,
        @Doc("What it has matched.") Matches matches) {

    /** What a rule has matched since what it does was last changed. */
    public record Matches(
            @Doc("Since when.") Instant since,

            @Doc("How many requests and documents it matched.")
            long count,

            @Doc("When the last one was.") @Nullable Instant lastAt,

            @Doc("How many it could not be evaluated for. Of a deny rule these count as matched.")
            long failures,

            @Doc("When the last one was.") @Nullable Instant lastFailureAt,
            @Doc("Why that failed.") @Nullable String lastFailure) {}
}
