package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.context.Tags;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.task.TaskState;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.domains.ParticipationQueries;
import io.agentworkspace.engine.workspace.tasks.TaskRow.StoredTask;
import io.agentworkspace.engine.workspace.tasks.TaskStore.NextState;
import io.agentworkspace.engine.workspace.tasks.TaskTools.Labels;
import io.agentworkspace.engine.workspace.tasks.TaskTools.UpdateRequest;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decides what TK_Update makes of a task, and what it refuses. */
final class TaskUpdates {
    private static final String ANYBODY = "*";

    private final TaskStore tasks;
    private final ParticipationQueries places;
    private final TaskOrderQueries order;

    TaskUpdates(Db db, TaskStore tasks, ParticipationQueries places) {
        this.tasks = tasks;
        this.places = places;
        this.order = new TaskOrderQueries(db);
    }

    /**
     * A task that was changed.
     *
     * @param what the word in its history
     */
    record Updated(StoredTask task, String what, @Nullable String note) {
        /** Returns whether others hear of it. */
        boolean isTold() {
            return !what.equals("extended");
        }
    }

    Updated apply(Call call, UpdateRequest in) {
        if (Stream.of(in.state(), in.result(), in.note(), in.assignee(), in.leaseSeconds(), in.after(), in.vx())
                .allMatch(Objects::isNull)) {
            throw Problem.missing("what to change, such as state, result, note or lease_seconds,");
        }
        var id = TaskTools.id("task", in.task());
        if (in.after() != null) {
            order.lock(call, tasks.read(call, id).domain());
        }
        var before = tasks.lock(call, id);
        if (isLate(before, in)) {
            var tenant = call.caller().tenant();
            var party = TaskStore.me(call);
            var result = Objects.requireNonNull(in.result());
            call.whenRefused(() -> tasks.keepLate(tenant, id, party, result, call.now()));
        }
        requireFence(before, in.fence());
        var next = next(call, in, before);
        return new Updated(
                tasks.update(call, before, next), next.what(), next.note() == null ? next.result() : next.note());
    }

    /** Returns whether a holder reports its result after its lease has ended. */
    private static boolean isLate(StoredTask before, UpdateRequest in) {
        return in.result() != null
                && in.fence() != null
                && (before.heldBy() == null || in.fence() < before.task().fence());
    }

    /** An older fence changes nothing; nor does the newest one after its lease has ended. */
    private static void requireFence(StoredTask before, @Nullable Long fence) {
        var task = before.task();
        if (fence == null && before.heldBy() != null) {
            throw heldBy(task, "send its fence, which TK_Claim returned");
        }
        if (fence != null && before.heldBy() == null) {
            throw Problem.conflict(
                    "fence %d has ended: nobody holds the task '%s', which is %s; claim it with TK_Claim, or leave the fence out"
                            .formatted(fence, task.title(), task.state().word()));
        }
        if (fence != null && fence != task.fence()) {
            throw heldBy(task, "fence %d is not its newest, nothing was changed".formatted(fence));
        }
    }

    private static Problem heldBy(Task task, String hint) {
        return Problem.conflict("'%s' holds the task '%s' until %s: %s"
                        .formatted(task.holder(), task.title(), task.leaseUntil(), hint))
                .with("holder", Objects.requireNonNull(task.holder()))
                .with("lease_until", Objects.requireNonNull(task.leaseUntil()));
    }

    /** Returns why a task cannot be claimed. */
    static Problem notReady(StoredTask stored, long me) {
        var task = stored.task();
        if (task.holder() != null) {
            return heldBy(
                    task,
                    Objects.equals(stored.holder(), me)
                            ? "that is you, so go on; TK_Read shows the fence, TK_Update extends the lease"
                            : "claim another with next: true");
        }
        if (task.state() != TaskState.OPEN) {
            return Problem.conflict("the task '%s' is %s, not open; TK_Update can open it again"
                    .formatted(task.title(), task.state().word()));
        }
        if (!task.ready()) {
            return Problem.conflict("the task '%s' waits for others, in after, that are not done; claim one of them"
                    .formatted(task.title()));
        }
        return Problem.conflict("the task '%s' is assigned to '%s'; TK_Update with assignee changes that"
                .formatted(task.title(), task.assignee()));
    }

    private NextState next(Call call, UpdateRequest in, StoredTask before) {
        var task = before.task();
        var target = in.state() == null ? null : TaskState.of(in.state());
        var assignee = assignee(call, in, before);
        var isTakenAway = before.heldBy() != null
                && in.assignee() != null
                && assignee != null
                && !assignee.equals(before.holder());
        var state = target != null
                ? target
                : isTakenAway && task.state() == TaskState.DOING ? TaskState.OPEN : task.state();
        var hasHolder =
                before.heldBy() != null && !isTakenAway && (state == TaskState.DOING || state == TaskState.BLOCKED);
        requirePossible(in, before, state, hasHolder);
        var labels = in.vx() == null ? new Labels(null, null, null) : in.vx();
        var tags = Tags.checked(labels.tags());
        return new NextState(
                labels.name() == null ? task.title() : TaskTools.title(labels.name()),
                labels.description() == null ? task.description() : labels.description(),
                tags == null ? task.tags() : tags,
                state,
                in.result() == null ? task.result() : in.result(),
                assignee,
                hasHolder,
                hasHolder ? in.leaseSeconds() : null,
                unmet(call, in, before),
                what(in, before, state),
                in.note());
    }

    private static void requirePossible(UpdateRequest in, StoredTask before, TaskState state, boolean hasHolder) {
        if (state == TaskState.DOING && !hasHolder) {
            throw Problem.conflict("nobody would hold the task '%s': TK_Claim starts it"
                    .formatted(before.task().title()));
        }
        if (in.leaseSeconds() != null && !hasHolder) {
            throw Problem.conflict(
                    "there is no lease to extend: nobody holds the task '%s' after this; leave lease_seconds out"
                            .formatted(before.task().title()));
        }
    }

    private @Nullable Long assignee(Call call, UpdateRequest in, StoredTask before) {
        if (in.assignee() == null) {
            return before.assignee();
        }
        return in.assignee().equals(ANYBODY) ? null : (Long) places.party(call, before.domain(), in.assignee());
    }

    private @Nullable Integer unmet(Call call, UpdateRequest in, StoredTask before) {
        if (in.after() == null) {
            return null;
        }
        var after = TaskTools.after(in.after());
        order.requireNoCircle(call, before, after);
        return tasks.reorder(call, before, after);
    }

    private static String what(UpdateRequest in, StoredTask before, TaskState state) {
        if (state != before.task().state()) {
            return switch (state) {
                case OPEN -> in.state() == null ? "assigned" : "opened";
                case DOING -> "resumed";
                case BLOCKED -> "blocked";
                case DONE -> "done";
                case CANCELLED -> "cancelled";
            };
        }
        if (in.assignee() != null) {
            return "assigned";
        }
        var extendsOnly = in.leaseSeconds() != null
                && in.note() == null
                && in.result() == null
                && in.vx() == null
                && in.after() == null;
        return extendsOnly ? "extended" : "changed";
    }
}
