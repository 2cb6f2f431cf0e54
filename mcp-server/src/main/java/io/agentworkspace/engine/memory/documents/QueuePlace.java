package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import org.jspecify.annotations.Nullable;

/** A document's place in the validation queue. */
@Titled
public record QueuePlace(
        @Doc("1 for the next one; 0 while it is being validated.")
        long position,

        @Doc("The estimated seconds until it is validated. Absent while no worker takes documents.") @Nullable
        Long expectedSeconds) {}
