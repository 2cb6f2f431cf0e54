package io.agentworkspace.engine.a2a.push;

import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.tasks.AgentPlace;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.integrations.webhooks.sender.Sender;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Family;
import java.time.Clock;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * The operations on the places where a task is sent. A place is a webhook: it needs the capability {@code webhook:write}, and may be in a
 * private network only where webhooks may.
 */
public final class PushConfigs {
    private final PushStore store;
    private final Sender sender;
    private final Clock clock;

    public PushConfigs(Db db, Vault vault, Sender sender, Clock clock) {
        this.store = new PushStore(db, vault);
        this.sender = sender;
        this.clock = clock;
    }

    PushStore store() {
        return store;
    }

    /** Checks a place before the message is sent whose task it is for. */
    public void check(AgentCall call, Fields wish) {
        checked(call, wish);
    }

    private PushConfig checked(AgentCall call, Fields wish) {
        call.caller().obstacleToChange(Family.WEBHOOK, "a push notification").ifPresent(obstacle -> {
            throw A2aError.of(Problem.notPermitted(obstacle));
        });
        var config = PushConfig.read(wish);
        try {
            sender.address(config.url());
        } catch (Problem refused) {
            throw wish.invalid("url", "is no address to notify: " + refused.note());
        }
        return config;
    }

    /** @param task an id of a task that the caller has */
    public ObjectNode create(AgentCall call, AgentPlace place, String task, Fields wish) {
        var config = checked(call, wish);
        if (!store.put(call.caller(), place, UUID.fromString(task), config, clock.instant())) {
            throw A2aError.invalid(
                    "taskId", "has %d push notifications, and can have no more".formatted(PushStore.MOST_OF_TASK));
        }
        return config.json(task);
    }

    public ObjectNode find(AgentCall call, String task, String id) {
        return store.find(call.caller().tenant(), UUID.fromString(task), id)
                .orElseThrow(() ->
                        A2aError.of(A2aError.Kind.TASK_NOT_FOUND, "the task has no push notification with this id"))
                .json(task);
    }

    public ObjectNode list(AgentCall call, String task) {
        var answer = Json.object();
        var configs = answer.putArray("configs");
        store.list(call.caller().tenant(), UUID.fromString(task)).forEach(config -> configs.add(config.json(task)));
        return answer.put("nextPageToken", "");
    }

    public void delete(AgentCall call, String task, String id) {
        store.delete(call.caller().tenant(), UUID.fromString(task), id);
    }
}
