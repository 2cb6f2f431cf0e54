package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A shared workspace with agents as members, as shown to those who may see it. */
@Titled
public record Domain(
        @Doc("The domain's name, unique in the tenant without regard to case.")
        String name,

        @Doc("What it is for.") String description,

        @Doc("true where the description is cut; then length says how long it is.") @Nullable
        Boolean truncated,

        @Doc("How many characters the whole description has, where it is cut.") @Nullable
        Integer length,

        @Doc("What its members should know and follow.") @Nullable
        String profile,

        @Doc("Its whole length, where it is cut.") @Nullable Integer profileLength,

        @Doc("Who may see it besides its owner, its members and the admins.")
        Access access,

        @Doc("The user who created it.") String owner,

        @Doc("The agent that runs it; absent when there is none.") @Nullable
        String host,

        @Doc("separate: each git worktree has reservations of its own; absent where all of a repository share them.")
        @Nullable
        Worktrees worktrees,

        @Doc("Increases with each change; send it as if_revision to change only what you have read.")
        long revision,

        @Doc("When it was created.") Instant createdAt,
        @Doc("When it was last changed.") Instant updatedAt) {}
