package io.agentworkspace.engine.mcp.tasks;

import io.agentworkspace.engine.mcp.source.CallOrigin;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.wire.ClientInfo;
import io.agentworkspace.engine.mcp.wire.Revision;
import io.agentworkspace.engine.mcp.wire.ToolSelection;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A task as the origin of a call: the content of its request, stored until it runs, perhaps on another replica. */
public record TaskOrigin(Caller caller, Kept kept) implements CallOrigin {
    /**
     * What a task stores of the request that started it.
     *
     * @param task the task's id
     * @param idempotencyKey the request's, if it had one
     * @param abilities the client's capabilities
     */
    public record Kept(
            String task,
            String tool,
            ObjectNode arguments,
            String requestId,
            @Nullable String idempotencyKey,
            ToolSelection selection,
            Set<ClientInfo.Ability> abilities,
            RequestSource whence) {

        static Kept of(String id, String tool, ObjectNode arguments, McpRequest request) {
            return new Kept(
                    id,
                    tool,
                    arguments,
                    request.requestId(),
                    request.idempotencyKey(Json.object()),
                    request.selection(),
                    request.client().abilities(),
                    request.whence());
        }

        public static Kept read(ObjectNode json) {
            return Json.bind(json, Kept.class);
        }

        ObjectNode json() {
            return Json.tree(this);
        }

        public ClientInfo client() {
            return new ClientInfo(Revision.MODERN, abilities, Set.of(ClientInfo.TASKS));
        }
    }

    @Override
    public String requestId() {
        return kept.requestId();
    }

    @Override
    public RequestSource whence() {
        return kept.whence();
    }

    @Override
    public @Nullable String header(String name) {
        return null;
    }

    @Override
    public ToolSelection selection() {
        return kept.selection();
    }

    @Override
    public ResponseBudget budget() {
        return ResponseBudget.twice();
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
    public void retryAfter(long seconds) {
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
