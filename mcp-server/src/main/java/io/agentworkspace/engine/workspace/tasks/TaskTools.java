package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.context.Tags;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.task.TaskState;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.domains.ParticipationQueries;
import io.agentworkspace.engine.workspace.reservations.Reservation;
import io.agentworkspace.engine.workspace.tasks.TaskQueries.ListedTask;
import io.agentworkspace.engine.workspace.tasks.TaskQueries.TaskFilter;
import io.agentworkspace.engine.workspace.tasks.TaskStore.NewTask;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The tools for the tasks of a domain: TK_List, TK_Read, TK_Create, TK_Claim, TK_Update. */
final class TaskTools {
    private static final long LEASE = 1_800;

    private final TaskQueries reads;
    private final TaskStore tasks;
    private final ParticipationQueries places;
    private final TaskUpdates updates;
    private final TaskNotices notices;

    TaskTools(
            TaskQueries reads, TaskStore tasks, ParticipationQueries places, TaskUpdates updates, TaskNotices notices) {
        this.reads = reads;
        this.tasks = tasks;
        this.places = places;
        this.updates = updates;
        this.notices = notices;
    }

    List<Tool<?, ?>> tools() {
        return List.of(list(), read(), create(), claim(), update());
    }

    record TagFilter(
            @Doc(value = "Only tasks with all of these.", max = 20) @Nullable
            List<String> tags) {}

    record ListRequest(
            @Doc("Of which domain.") TaskTargets.@Nullable DomainAgent target,

            @Doc(
                    value = "Only in this state.",
                    oneOf = {"open", "doing", "blocked", "done", "cancelled"})
            @Nullable
            String state,

            @Doc("true: only those that can be claimed.") @Nullable
            Boolean ready,

            @Doc("true: only those you hold or are assigned.") @Nullable
            Boolean mine,

            @Doc("Which tags.") @Nullable TagFilter vx,

            @Doc("true: also the reserved paths.") @Nullable Boolean paths,

            @Doc("Which part.") @Nullable Page page) {}

    record Waiting(
            @Doc("The task's id.") String task,

            @Doc("How many of the tasks in after are not done.")
            long unmet) {}

    record ListResponse(
            @Doc("The tasks, newest first.") List<Task> profile,

            @Doc("For each of them, what it waits for.") List<Waiting> content,

            @Doc("With paths: the reserved paths.") @Nullable
            List<Reservation> reservations,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("TK_List")
                .title("List tasks")
                .page(Guide.Page.TASKS)
                .description(
                        "Lists the tasks of a domain: what is to be done, and who is working on it. Next: TK_Claim.")
                .details("""
                        Newest first. ready tasks are open, nobody holds them, and everything they come after is done. \
                        With paths, reservations shows which paths others work on.""")
                .alsoCalled(
                        "what is there to do",
                        "to-do list",
                        "backlog",
                        "open issues",
                        "who works on what",
                        "work items",
                        "my tasks",
                        "which files are taken")
                .hints(Guide.Hint.WORK)
                .needs(Capability.TASK_READ)
                .on(Requirement.OfDomain.HEAR)
                .example("target.domain", "harbour")
                .alsoAt("GET", "/api/tasks")
                .handledBy(ListRequest.class, ListResponse.class, this::list);
    }

    private ListResponse list(ListRequest in, Call call) {
        var tags = Tags.checked(in.vx() == null ? null : in.vx().tags());
        var paths = Boolean.TRUE.equals(in.paths());
        var filter = new TaskFilter(
                in.state() == null ? null : TaskState.of(in.state()),
                Boolean.TRUE.equals(in.ready()),
                Boolean.TRUE.equals(in.mine()),
                in.target() == null ? null : in.target().agent(),
                tags == null ? List.of() : tags,
                paths);
        var found = reads.list(call, in.target() == null ? null : in.target().domain(), filter, in.page());
        var rows = found.tasks().rows();
        return new ListResponse(
                rows.stream().map(ListedTask::task).toList(),
                rows.stream()
                        .map(row -> new Waiting(row.task().id(), row.unmet()))
                        .toList(),
                paths ? found.reservations() : null,
                found.tasks().nextCursor());
    }

    record ReadRequest(
            @Doc(value = "The task's id.", max = 64) String task,

            @Doc("In which context.") Targets.@Nullable ContextOnly target,

            @Doc("Which part of its history.") @Nullable Page page) {}

    record ReadResponse(
            @Doc("The task.") List<Task> profile,
            @Doc("Its history, oldest first.") List<TaskChange> content,

            @Doc("Give it as page.cursor for older entries; absent when there are none.") @Nullable
            String nextCursor) {}

    private Tool<ReadRequest, ReadResponse> read() {
        return Tool.named("TK_Read")
                .title("Read a task")
                .description("Reads a task and its history: who did what, when, and their notes.")
                .alsoCalled(
                        "show a work item", "history of a task", "who did this", "details of an issue", "current fence")
                .needs(Capability.TASK_READ)
                .on(Requirement.OfDomain.HEAR)
                .alsoAt("GET", "/api/tasks/{task}")
                .handledBy(ReadRequest.class, ReadResponse.class, (in, call) -> {
                    var found = reads.read(call, id("task", in.task()), in.page());
                    return new ReadResponse(
                            List.of(found.task()),
                            found.history().rows(),
                            found.history().nextCursor());
                });
    }

    record NewLabels(
            @Doc(value = "What is to be done, in one line.", max = 200, alias = "title")
            String name,

            @Doc(value = "More about it.", max = Limits.DESCRIPTION, mayBeBlank = true) @Nullable
            String description,

            @Doc(value = "At most 20.", max = 20, mayBeBlank = true) @Nullable
            List<String> tags) {}

    record CreateRequest(
            @Doc("In which domain.") TaskTargets.@Nullable EnteredDomain target,
            @Doc("The task.") NewLabels vx,

            @Doc(value = "Ids of tasks that must be done before.", max = 50, mayBeBlank = true) @Nullable
            List<String> after,

            @Doc(value = "The member whose task it is; default: anybody's.", max = 64) @Nullable
            String assignee) {}

    record TaskResponse(@Doc("The task.") Task task) {}

    private Tool<CreateRequest, TaskResponse> create() {
        return Tool.named("TK_Create")
                .title("Create a task")
                .description("Creates a task in a domain: work for one member, or for whoever claims it.")
                .details("The zone 'main' of the domain gets a line, and the assignee a message.")
                .alsoCalled(
                        "add a to-do",
                        "open an issue",
                        "assign work",
                        "plan the work",
                        "split work into steps",
                        "new ticket",
                        "delegate a job")
                .hints(Guide.Hint.WORK)
                .needs(Capability.TASK_WRITE)
                .on(Requirement.OfDomain.TAKE_PART)
                .effect(Effect.CREATES)
                .example("target.domain", "harbour")
                .alsoAt("POST", "/api/tasks")
                .handledBy(CreateRequest.class, TaskResponse.class, this::create);
    }

    private TaskResponse create(CreateRequest in, Call call) {
        var place = places.enter(call, in.target() == null ? null : in.target().domain());
        var tags = Tags.checked(in.vx().tags());
        var assignee = in.assignee() == null ? null : (Long) places.party(call, place.id(), in.assignee());
        var stored = tasks.insert(
                call,
                place.id(),
                new NewTask(
                        title(in.vx().name()),
                        in.vx().description() == null ? "" : in.vx().description(),
                        tags == null ? List.of() : tags,
                        assignee,
                        after(in.after())));
        notices.announce(call, stored, "created", null);
        return answer(call, stored.task());
    }

    private static TaskResponse answer(Call call, Task task) {
        call.about(new Call.About(task.title(), task.id()));
        return new TaskResponse(task);
    }

    static String title(String text) {
        var title = text.strip();
        if (title.isEmpty() || title.codePoints().anyMatch(TaskTools::isNoText)) {
            throw Problem.invalid("vx.name", "must be 1–200 characters in one line");
        }
        return title;
    }

    /** Ends of lines, and what controls a terminal. */
    private static boolean isNoText(int character) {
        var type = Character.getType(character);
        return type == Character.CONTROL || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR;
    }

    static List<UUID> after(@Nullable List<String> ids) {
        return ids == null
                ? List.of()
                : IntStream.range(0, ids.size())
                        .mapToObj(i -> id("after[%d]".formatted(i), ids.get(i)))
                        .distinct()
                        .toList();
    }

    static UUID id(String field, String text) {
        try {
            if (text.length() == 36) {
                return UUID.fromString(text);
            }
        } catch (IllegalArgumentException e) {
            // Refused below.
        }
        throw Problem.invalid(
                field, "must be the id of a task, as TK_List shows it, not '%s'".formatted(Name.shortened(text)));
    }

    record ClaimRequest(
            @Doc(value = "The task's id.", max = 64) @Nullable
            String task,

            @Doc(value = "true: the oldest ready task of the domain that is yours or nobody's.", mayBeBlank = true)
            @Nullable
            Boolean next,

            @Doc(value = "Default 1800; then it is free again.", min = 60, max = 86_400, mayBeBlank = true) @Nullable
            Long leaseSeconds,

            @Doc("With next: of which domain.") TaskTargets.@Nullable EnteredDomain target) {}

    private Tool<ClaimRequest, TaskResponse> claim() {
        return Tool.named("TK_Claim")
                .title("Claim a task")
                .description("""
                        Takes a ready task before you start on it, so that nobody else does it: the named task, or the next. \
                        Keep its fence for TK_Update.""")
                .details("""
                        Of several calls at a time, one gets the task. The others are refused (3003, with holder and \
                        lease_until). When the lease ends, the task is ready again, its holder is told, and the old \
                        fence changes nothing.""")
                .alsoCalled(
                        "start working on",
                        "take the next task",
                        "grab work",
                        "pick up an issue",
                        "lock a task",
                        "get something to do",
                        "reserve a work item")
                .hints(Guide.Hint.WORK)
                .needs(Capability.TASK_WRITE)
                .on(Requirement.OfDomain.TAKE_PART)
                .effect(Effect.CHANGES)
                .example("next", "true")
                .example("target.domain", "harbour")
                .alsoAt("POST", "/api/tasks/claim")
                .alsoAt("POST", "/api/tasks/{task}/claim")
                .handledBy(ClaimRequest.class, TaskResponse.class, this::claim);
    }

    private TaskResponse claim(ClaimRequest in, Call call) {
        var next = Boolean.TRUE.equals(in.next());
        if (next == (in.task() != null)) {
            throw next
                    ? Problem.invalid("next", "cannot be combined with task: send one of them")
                    : Problem.missing(List.of("task or next"));
        }
        var seconds = in.leaseSeconds() == null ? LEASE : in.leaseSeconds();
        var claimed = in.task() == null ? claimNext(in, call, seconds) : claimOne(id("task", in.task()), call, seconds);
        if (claimed.lostBy() != null) {
            notices.lost(call, claimed.task(), claimed.lostBy());
        }
        notices.announce(call, claimed.task(), "claimed", null);
        return answer(call, claimed.task().task());
    }

    private TaskStore.Claimed claimNext(ClaimRequest in, Call call, long seconds) {
        var place = places.enter(call, in.target() == null ? null : in.target().domain());
        return tasks.claimNext(call, place.id(), seconds)
                .orElseThrow(() -> Problem.conflict(
                        "no task in the domain '%s' is ready for you; TK_List shows what others do, and AP_Wait returns when one is assigned to you"
                                .formatted(place.name())));
    }

    private TaskStore.Claimed claimOne(UUID id, Call call, long seconds) {
        return tasks.claim(call, id, seconds)
                .orElseThrow(() -> TaskUpdates.notReady(tasks.read(call, id), TaskStore.me(call)));
    }

    record Labels(
            @Doc(value = "What is to be done.", max = 200, mayBeBlank = true, alias = "title") @Nullable
            String name,

            @Doc(value = "More about it.", max = Limits.DESCRIPTION, mayBeBlank = true) @Nullable
            String description,

            @Doc(value = "Replaces its tags.", max = 20, mayBeBlank = true) @Nullable
            List<String> tags) {}

    record UpdateRequest(
            @Doc(value = "The task's id.", max = 64) String task,

            @Doc(value = "From TK_Claim; required while it is held.", mayBeBlank = true) @Nullable
            Long fence,

            @Doc(
                    value = "open gives it back; blocked keeps it.",
                    oneOf = {"open", "doing", "blocked", "done", "cancelled"},
                    mayBeBlank = true)
            @Nullable
            String state,

            @Doc(value = "What you did, and where it is.", max = 16_000, mayBeBlank = true) @Nullable
            String result,

            @Doc(value = "What you need, or others should know.", max = 2_000, mayBeBlank = true) @Nullable
            String note,

            @Doc(value = "The member whose task it is now; * for anybody's.", max = 64) @Nullable
            String assignee,

            @Doc(value = "Extends the lease: seconds from now.", min = 60, max = 86_400, mayBeBlank = true) @Nullable
            Long leaseSeconds,

            @Doc(value = "Replaces the tasks that must be done before.", max = 50, mayBeBlank = true) @Nullable
            List<String> after,

            @Doc("What to change of it.") @Nullable Labels vx,
            @Doc("In which context.") Targets.@Nullable ContextOnly target) {}

    private Tool<UpdateRequest, TaskResponse> update() {
        return Tool.named("TK_Update")
                .title("Update a task")
                .description(
                        "Reports that a task is finished, stuck or in progress; extends its lease; or changes the task.")
                .details("""
                        done, cancelled and open end the claim. A fence that is not the newest, or whose lease has ended, \
                        is refused (3003), and nothing is changed: claim the task again. The zone 'main' of the domain \
                        gets a line, and the assignee a message, except for an extended lease. after must not make a circle.""")
                .alsoCalled(
                        "finish a task",
                        "mark as done",
                        "close an issue",
                        "report progress",
                        "extend the lease",
                        "give a task back",
                        "reassign",
                        "take a task away",
                        "cancel a task",
                        "set a task to blocked")
                .hints(Guide.Hint.WORK)
                .needs(Capability.TASK_WRITE)
                .on(Requirement.OfDomain.TAKE_PART)
                .effect(Effect.CHANGES)
                .example("fence", "1")
                .example("state", "done")
                .example("result", "It is blue.")
                .exampleWithout("vx.description")
                .alsoAt("PATCH", "/api/tasks/{task}")
                .handledBy(UpdateRequest.class, TaskResponse.class, (in, call) -> {
                    var change = updates.apply(call, in);
                    if (change.isTold()) {
                        notices.announce(call, change.task(), change.what(), change.note());
                    } else {
                        call.changed(List.of());
                    }
                    return answer(call, change.task().task());
                });
    }
}
