package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.event.EventData.TaskChanged;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.guard.ProgressStore;
import io.agentworkspace.engine.workspace.messages.NoticeStore;
import io.agentworkspace.engine.workspace.tasks.TaskRow.StoredTask;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Announces changes of tasks: one line in the zone {@code main} of the domain, one to the assignee, and an event. */
final class TaskNotices {
    private static final int MAX_NOTE = 300;

    /** A change of the state of a task. Creating one is none. */
    private static final Set<String> PROGRESS = Set.of("claimed", "done", "blocked", "cancelled", "opened", "resumed");

    private final NoticeStore notices;
    private final ProgressStore progress;

    TaskNotices(Db db) {
        this.notices = new NoticeStore(db);
        this.progress = new ProgressStore(db);
    }

    /** Announces what the call did to a task. */
    void announce(Call call, StoredTask task, String what, @Nullable String note) {
        var speaker = call.context().speaker();
        var tenant = call.caller().tenant();
        var line = line(task.task(), what, note);
        notices.inMain(tenant, task.domain(), speaker.id(), line, call.now()).ifPresent(call::changed);
        if (task.assignee() != null) {
            notices.announce(tenant, speaker.id(), task.assignee(), inDomain(task.task(), line), call.now())
                    .ifPresent(call::changed);
        }
        if (PROGRESS.contains(what)) {
            progress.note(call, task.domain(), task.task().id(), PROGRESS);
        }
        call.emit(EventType.TASK_CHANGED, event(task.task(), what, speaker.name()));
    }

    /** Tells a party that its lease has ended, since the call has taken over the task. */
    void lost(Call call, StoredTask task, long loser) {
        notices.direct(
                        call.caller().tenant(),
                        call.context().speaker().id(),
                        loser,
                        inDomain(task.task(), line(task.task(), "lost", null)),
                        call.now())
                .ifPresent(call::changed);
    }

    static TaskChanged event(Task task, String what, String by) {
        return new TaskChanged(
                UUID.fromString(task.id()),
                task.domain(),
                task.title(),
                task.state(),
                what,
                by,
                task.assignee(),
                task.holder(),
                task.revision());
    }

    static String line(Task task, String what, @Nullable String note) {
        var words = switch (what) {
            case "created" -> task.assignee() == null ? "New task" : "New task for " + task.assignee();
            case "claimed" -> "Claimed";
            case "done" -> "Done";
            case "blocked" -> "Blocked";
            case "cancelled" -> "Cancelled";
            case "opened" -> "Open again";
            case "resumed" -> "Goes on";
            case "assigned" -> task.assignee() == null ? "For anybody" : "For " + task.assignee();
            case "lost" -> "The lease has ended; the task can be claimed again";
            default -> "Changed";
        };
        var line = "%s: '%s' (task %s)".formatted(words, flat(task.title()), task.id());
        return note == null || note.isBlank() ? line : line + ": " + flat(note);
    }

    static String inDomain(Task task, String line) {
        return "%s, in the domain '%s'".formatted(line, task.domain());
    }

    private static String flat(String text) {
        var flat = text.strip().replaceAll("\\s+", " ");
        return flat.codePointCount(0, flat.length()) <= MAX_NOTE
                ? flat
                : flat.substring(0, flat.offsetByCodePoints(0, MAX_NOTE)) + "…";
    }
}
