package io.agentworkspace.engine.model.document;

import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** A document's place in the validation queue. */
public record QueuePlace(
        @Doc("1 for the one that is taken next; 0 while it is being validated.")
        long position,

        @Doc(
                "In how many seconds it is probably validated, by how long the last ones took. Absent while no document is being taken.")
        @Nullable
        Long expectedSeconds) {}
