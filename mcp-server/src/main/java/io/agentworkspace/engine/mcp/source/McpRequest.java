package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.mcp.wire.ClientInfo;
import io.agentworkspace.engine.mcp.wire.InputResponses;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import io.agentworkspace.engine.mcp.wire.RequestNotifier;
import io.agentworkspace.engine.mcp.wire.ToolSelection;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One request as seen by its handlers: the caller, the client, and how to send messages to it in the meantime. */
public final class McpRequest {
    private final CallOrigin callOrigin;
    private final ClientInfo client;
    private final ToolSelection selection;
    private final RequestNotifier notifier;
    private final InputResponses inputs;

    public McpRequest(CallOrigin callOrigin, ClientInfo client, RequestNotifier notifier, InputResponses inputs) {
        this.callOrigin = callOrigin;
        this.client = client;
        this.selection = callOrigin.selection();
        this.notifier = notifier;
        this.inputs = inputs;
    }

    public Caller caller() {
        return callOrigin.caller();
    }

    public String requestId() {
        return callOrigin.requestId();
    }

    public RequestSource whence() {
        return callOrigin.whence();
    }

    public ClientInfo client() {
        return client;
    }

    /** The tools that the request selects. */
    public ToolSelection selection() {
        return selection;
    }

    /** How much the response may still carry. */
    public ResponseBudget budget() {
        return callOrigin.budget();
    }

    public @Nullable String header(String name) {
        return callOrigin.header(name);
    }

    /** Reports progress; sent to the client only if it gave a progress token, and only if the value has increased. */
    public void progress(double done, @Nullable Double total, @Nullable String message) {
        notifier.progress(done, total, message);
    }

    /** Sends a log message, if the client requested messages of this level ({@code debug} … {@code emergency}). */
    public void log(String level, String logger, Object data) {
        notifier.log(level, logger, data instanceof JsonNode node ? node : Json.valueTree(data));
    }

    /** The client's answer to the question of this key, if it has answered it. */
    public Optional<ObjectNode> answer(String key) {
        return Optional.ofNullable(inputs.answers().get(key));
    }

    public InputResponses inputs() {
        return inputs;
    }

    /** The state of the last {@link MethodResult.Ask}; it must come back unchanged, or the request is refused. */
    public Optional<ObjectNode> state() {
        return Optional.ofNullable(inputs.state());
    }

    /** The content of a form that was filled in and accepted. */
    public Optional<ObjectNode> accepted(String key) {
        return answer(key)
                .filter(answer -> answer.path("action").asString("").equals("accept"))
                .map(answer -> answer.get("content") instanceof ObjectNode content ? content : Json.object());
    }

    /** For the request log: the tool or resource that the request is about. */
    public void ran(String service) {
        callOrigin.ran(service);
    }

    public void retryAfter(long seconds) {
        callOrigin.retryAfter(seconds);
    }

    public void markReplayed() {
        callOrigin.markReplayed();
    }

    public void limits(List<Allowance> left) {
        callOrigin.limits(left);
    }

    @Nullable
    public String idempotencyKey(ObjectNode arguments) {
        return callOrigin.idempotencyKey(arguments);
    }
}
