package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An entry of a task's history. */
@Titled
record TaskChange(
        @Doc("The revision that it made.") long revision,
        @Doc("When.") Instant at,

        @Doc("Who changed it; of a lease that ended, who lost it.")
        String by,

        @Doc("What was changed, such as claimed, done or lost.")
        String what,

        @Doc("Their note.") @Nullable String note) {}
