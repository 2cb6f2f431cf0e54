package io.agentworkspace.engine.memory.banks.use;

import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How often a memory was found, by whom, and whether it was corrected since. */
public record MemoryUse(
        @Doc("The memory's id.") String id,
        @Doc("How often MB_Search returned it.") long times,
        @Doc("When it was last returned.") Instant lastAt,

        @Doc("The latest finders that you may see, at most ten; only with vx.name or id.") @Nullable
        List<Finder> by,

        @Doc("How often other finders got it; only with vx.name or id.") @Nullable
        Long others,

        @Doc("The correction that a finder's text has had since; only with vx.name or id.") @Nullable
        Correction corrected) {

    /** An agent or a user who found a memory. */
    public record Finder(
            @Doc("The agent's or user's name.") String name,

            @Doc(
                    value = "What it is.",
                    oneOf = {"agent", "user"})
            String kind,

            @Doc("How often it got the memory.") long times,
            @Doc("When it last got it.") Instant lastAt,

            @Doc("true if the text that it got last has been replaced or superseded since.")
            boolean outdated) {}

    /** A correction of a memory after it was found. */
    public record Correction(
            @Doc("When it was stored.") Instant at,
            @Doc("The agent or user who stored it.") String by,

            @Doc(
                    value = "replaced: by a newer revision. superseded: by another memory.",
                    oneOf = {"replaced", "superseded"})
            String how,

            @Doc("true if whoever corrected it had found it in the 24 hours before.")
            boolean byFinder) {}
}
