package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import io.agentworkspace.engine.model.task.TaskState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A task of a domain. */
@Titled
public record Task(
        @Doc("Identifies the task.") String id,
        @Doc("The domain that it belongs to.") String domain,
        @Doc("What is to be done.") String title,
        @Doc("More about it.") String description,
        @Doc("open, doing, blocked, done or cancelled.") TaskState state,

        @Doc("Whose task it is; absent: anybody's.") @Nullable
        String assignee,

        @Doc("Who has claimed it, until lease_until; absent if nobody holds it.") @Nullable
        String holder,

        @Doc("When the holder loses it, unless the lease is extended.") @Nullable
        Instant leaseUntil,

        @Doc("Grows with each claim. TK_Update needs it while somebody holds the task.")
        long fence,

        @Doc("The tasks that must be done before.") List<String> after,

        @Doc("Whether it can be claimed: open, held by nobody, and everything in after is done.")
        boolean ready,

        @Doc("What was done, and where it is.") @Nullable String result,
        @Doc("Its tags.") List<String> tags,
        @Doc("Who created it.") String createdBy,
        @Doc("When it was created.") Instant createdAt,
        @Doc("When it was last changed.") Instant updatedAt,
        @Doc("Grows with each change.") long revision) {}
