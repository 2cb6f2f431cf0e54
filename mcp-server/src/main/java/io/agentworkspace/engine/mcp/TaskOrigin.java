package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Allowance;
import io.agentworkspace.engine.model.Budget;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Schema;
import io.agentworkspace.engine.model.Whence;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A task as the origin of a call: the content of its request, stored until it runs, perhaps on another replica. */
record TaskOrigin(Caller caller, Kept kept) implements Origin {
    /**
     * What a task stores of the request that started it.
     *
     * @param task the task's id
     * @param idempotencyKey the request's, if it had one
     * @param abilities the client's capabilities
     */
    record Kept(
            String task,
            String tool,
            ObjectNode arguments,
            String requestId,
            @Nullable String idempotencyKey,
            Selection selection,
            Set<Client.Ability> abilities,
            Whence whence) {

        static Kept of(String id, String tool, ObjectNode arguments, Turn turn) {
            return new Kept(
                    id,
                    tool,
                    arguments,
                    turn.requestId(),
                    turn.idempotencyKey(Json.object()),
                    turn.selection(),
                    turn.client().abilities(),
                    turn.whence());
        }

        static Kept read(ObjectNode json) {
            return Json.bind(json, Kept.class);
        }

        ObjectNode json() {
            return Json.tree(this);
        }

        Client client() {
            return new Client(Revision.MODERN, abilities, Set.of(Client.TASKS));
        }
    }

    @Override
    public String requestId() {
        return kept.requestId();
    }

    @Override
    public Whence whence() {
        return kept.whence();
    }

    @Override
    public @Nullable String header(String name) {
        return null;
    }

    @Override
    public Selection selection() {
        return kept.selection();
    }

    @Override
    public Budget budget() {
        return Budget.twice();
    }

    /** The task's own key if the client gave none, so that a second attempt changes nothing twice. */
    @Override
    public @Nullable String idempotencyKey(ObjectNode arguments) {
        if (kept.idempotencyKey() != null) {
            return kept.idempotencyKey();
        }
        return arguments.has(Schema.IDEMPOTENCY_KEY) ? null : "task-" + kept.task();
    }

    @Override
    public void ran(String service) {
        // The request log recorded it when the task started.
    }

    @Override
    public void retryAfter(Duration wait) {
        // Nobody waits.
    }

    @Override
    public void markReplayed() {
        // Nobody waits.
    }

    @Override
    public void limits(List<Allowance> left) {
        // Nobody waits.
    }
}
