package io.agentworkspace.engine.a2a.push;

import io.agentworkspace.engine.a2a.push.PushStore.Counted;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.tasks.AgentPlace;
import io.agentworkspace.engine.a2a.tasks.TaskReader;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.A2aError.Kind;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.identity.audit.AuditEntry;
import io.agentworkspace.engine.identity.audit.AuditEvent;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Family;
import java.net.URI;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * The operations on push notifications. Each is a webhook of one task: it counts as one in the plan, needs the capabilities of webhooks, and may
 * be in a private network only where webhooks may. Only the credential that made it sees it.
 */
public final class PushConfigs {
    private static final int MOST_OF_TASK = 5;
    private static final int MOST_OF_CALLER = 100;

    private final PushStore store;
    private final TaskReader reader;
    private final AuditStore audit;
    private final boolean allowPrivate;
    private final Runnable made;
    private final Clock clock;

    /**
     * @param allowPrivate whether webhooks may be in private networks
     * @param made runs when there is another one
     */
    public PushConfigs(
            PushStore store, TaskReader reader, AuditStore audit, boolean allowPrivate, Runnable made, Clock clock) {
        this.store = store;
        this.reader = reader;
        this.audit = audit;
        this.allowPrivate = allowPrivate;
        this.made = made;
        this.clock = clock;
    }

    /**
     * Checks a wish before the message is sent whose task it is for. Returns what keeps it when the task has begun.
     *
     * @param task that the message continues; empty if it begins one
     */
    public Consumer<String> prepare(AgentCall call, AgentPlace place, String task, Fields wish) {
        requireChange(call);
        var config = PushConfig.read(wish, allowPrivate);
        var known = reader.state(place, task).map(TaskRecord::id).orElse(null);
        store.requireRoom(call.caller(), known, config.id(), PushConfigs::requireRoom);
        return begun -> reader.state(place, begun).ifPresent(found -> store(call, place, found, config));
    }

    /** Counts the operation, which no tool does. */
    private static void requireChange(AgentCall call) {
        call.runner().admit(call.caller());
        refuse(call.caller().obstacleToChange(Family.WEBHOOK, "a push notification"));
    }

    private static void requireRead(AgentCall call) {
        call.runner().admit(call.caller());
        refuse(call.caller().obstacleToRead(Family.WEBHOOK, "a push notification"));
    }

    private static void refuse(Optional<String> obstacle) {
        obstacle.ifPresent(words -> {
            throw A2aError.of(Problem.notPermitted(words));
        });
    }

    private static void requireRoom(Counted counted) {
        if (counted.task() >= MOST_OF_TASK) {
            throw A2aError.invalid(
                    "taskId", "has %d push notifications, and can have no more: delete one".formatted(MOST_OF_TASK));
        }
        if (counted.caller() >= MOST_OF_CALLER) {
            throw A2aError.invalid(
                    "url",
                    "is one too many: you have %d push notifications for tasks that have not ended"
                            .formatted(MOST_OF_CALLER));
        }
    }

    /** Makes or replaces one. If the task has ended, its client is told that at once. */
    public ObjectNode create(AgentCall call, AgentPlace place, Fields params) {
        requireChange(call);
        var config = PushConfig.read(params, allowPrivate);
        var task = task(place, params);
        store(call, place, task, config);
        return json(config.id(), task.id(), config.url());
    }

    private void store(AgentCall call, AgentPlace place, TaskRecord task, PushConfig config) {
        var details =
                "task %s, at %s".formatted(task.id(), URI.create(config.url()).getAuthority()); // A path may be secret.
        store.put(
                call.caller(),
                task,
                config,
                clock.instant(),
                PushConfigs::requireRoom,
                () -> note(AuditEvent.PUSH_CREATED, call, place, details));
        made.run();
    }

    private void note(AuditEvent event, AgentCall call, AgentPlace place, String details) {
        var caller = call.caller();
        var actor = AuditEntry.Actor.of(caller);
        var subject = new AuditEntry.Subject("agent", place.name(), null);
        var entry = AuditEntry.event(event, clock.instant(), actor, subject, call.source(), call.requestId());
        audit.note(caller.tenant(), entry.detailed(details));
    }

    private TaskRecord task(AgentPlace place, Fields params) {
        var id = params.required("taskId");
        return reader.state(place, id).orElseThrow(() -> A2aError.noTask(id));
    }

    private static ObjectNode json(String id, String task, String url) {
        return Json.object().put("id", id).put("taskId", task).put("url", url);
    }

    public ObjectNode find(AgentCall call, AgentPlace place, Fields params) {
        requireRead(call);
        var task = task(place, params).id();
        var id = params.required("id");
        return store.list(call.caller(), task).stream()
                .filter(kept -> kept.id().equals(id))
                .map(kept -> json(kept.id(), task, kept.url()))
                .findFirst()
                .orElseThrow(() ->
                        A2aError.of(Kind.TASK_NOT_FOUND, "the task has no push notification of yours with this id"));
    }

    /** There are few of a task, so that one page has them all. */
    public ObjectNode list(AgentCall call, AgentPlace place, Fields params) {
        requireRead(call);
        var task = task(place, params).id();
        var answer = Json.object();
        var configs = answer.putArray("configs");
        store.list(call.caller(), task).forEach(kept -> configs.add(json(kept.id(), task, kept.url())));
        return answer.put("nextPageToken", "");
    }

    public ObjectNode delete(AgentCall call, AgentPlace place, Fields params) {
        requireChange(call);
        var task = task(place, params).id();
        store.delete(
                call.caller(),
                task,
                PushConfig.id(params),
                () -> note(AuditEvent.PUSH_DELETED, call, place, "task " + task));
        return Json.object();
    }
}
