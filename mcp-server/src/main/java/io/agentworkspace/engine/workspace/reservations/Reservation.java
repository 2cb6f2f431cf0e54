package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A path that somebody works on for a while. */
@Titled
public record Reservation(
        @Doc("The path: a glob, relative to the repository.")
        String path,

        @Doc("The repository; absent if none was named.") @Nullable
        String repository,

        @Doc("The git worktree; absent if it is reserved in all of them.") @Nullable
        String worktree,

        @Doc("Who works on it.") String holder,
        @Doc("Why.") @Nullable String reason,
        @Doc("Until when.") Instant leaseUntil) {}
