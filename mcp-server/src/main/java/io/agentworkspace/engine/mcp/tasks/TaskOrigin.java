package io.agentworkspace.engine.mcp.tasks;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.mcp.source.CallOrigin;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A task as the origin of a call: the request's data, stored until the task runs, perhaps on another replica. */
public record TaskOrigin(Caller caller, StoredOrigin kept) implements CallOrigin {
    /**
     * The stored data of the request that started the task.
     *
     * @param task the task's id
     * @param idempotencyKey the request's, if it had one
     * @param abilities the client's capabilities
     */
    public record StoredOrigin(
            String task,
            String tool,
            ObjectNode arguments,
            String requestId,
            @Nullable String idempotencyKey,
            ToolSelection selection,
            Set<ClientInfo.Ability> abilities,
            @JsonProperty("whence") RequestSource source) {

        static StoredOrigin of(String id, String tool, ObjectNode arguments, McpRequest request) {
            return new StoredOrigin(
                    id,
                    tool,
                    arguments,
                    request.requestId(),
                    request.idempotencyKey(Json.object()),
                    request.selection(),
                    request.client().abilities(),
                    request.source());
        }

        public static StoredOrigin read(ObjectNode json) {
            return Json.bind(json, StoredOrigin.class);
        }

        ObjectNode json() {
            return Json.tree(this);
        }

        public ClientInfo client() {
            return new ClientInfo(ProtocolRevision.MODERN, abilities, Set.of(ClientInfo.TASKS));
        }
    }

    @Override
    public String requestId() {
        return kept.requestId();
    }

    @Override
    public RequestSource source() {
        return kept.source();
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

    /** Returns the task's own key if the client gave none, so that a second attempt does not repeat changes. */
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
    public void answered(Answer answer) {
        // No client waits for a response.
    }
}
