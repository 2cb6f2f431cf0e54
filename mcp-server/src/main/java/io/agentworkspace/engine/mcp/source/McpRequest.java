package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.InputResponses;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.RequestNotifier;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One request as its handlers see it: the caller, the client, and messages to the client before the response. */
public final class McpRequest {
    private final CallOrigin callOrigin;
    private final ClientInfo client;
    private final ToolSelection selection;
    private final RequestNotifier notifier;
    private final InputResponses inputs;
    private final ObjectNode meta;

    public McpRequest(CallOrigin callOrigin, ClientInfo client, RequestNotifier notifier, InputResponses inputs) {
        this(callOrigin, client, notifier, inputs, Json.object());
    }

    /** @param meta the metadata of the request */
    public McpRequest(
            CallOrigin callOrigin,
            ClientInfo client,
            RequestNotifier notifier,
            InputResponses inputs,
            ObjectNode meta) {
        this.callOrigin = callOrigin;
        this.client = client;
        this.selection = callOrigin.selection();
        this.notifier = notifier;
        this.inputs = inputs;
        this.meta = meta;
    }

    public Caller caller() {
        return callOrigin.caller();
    }

    public String requestId() {
        return callOrigin.requestId();
    }

    public RequestSource source() {
        return callOrigin.source();
    }

    public ClientInfo client() {
        return client;
    }

    /** Returns the tools that the request selects. */
    public ToolSelection selection() {
        return selection;
    }

    /** Returns how much the response may still carry. */
    public ResponseBudget budget() {
        return callOrigin.budget();
    }

    public @Nullable String header(String name) {
        return callOrigin.header(name);
    }

    /** Reports progress. It is sent only if the client gave a progress token and the value has increased. */
    public void progress(double done, @Nullable Double total, @Nullable String message) {
        notifier.progress(done, total, message);
    }

    /** Sends the beginning of the response at once, if the client accepts a stream. */
    public void begin() {
        notifier.begin();
    }

    /** Sends a log message, if the client requested messages of this level ({@code debug} … {@code emergency}). */
    public void log(String level, String logger, Object data) {
        notifier.log(level, logger, data instanceof JsonNode node ? node : Json.valueTree(data));
    }

    /** Returns the client's answer to the question with this key, if it has answered. */
    public Optional<ObjectNode> answer(String key) {
        return Optional.ofNullable(inputs.answers().get(key));
    }

    /** Returns the metadata that the client sent. */
    public ObjectNode meta() {
        return meta;
    }

    public InputResponses inputs() {
        return inputs;
    }

    /**
     * Returns the state of the last {@link MethodResult.Ask}. The request is refused if the
     * state does not come back unchanged.
     */
    public Optional<ObjectNode> state() {
        return Optional.ofNullable(inputs.state());
    }

    /** Returns the content of a form that the person accepted. */
    public Optional<ObjectNode> accepted(String key) {
        return answer(key)
                .filter(answer -> answer.path("action").asString("").equals("accept"))
                .map(answer -> answer.get("content") instanceof ObjectNode content ? content : Json.object());
    }

    /** Notes the tool or resource that the request is about, for the request log. */
    public void ran(String service) {
        callOrigin.ran(service);
    }

    /** Sets what the headers of the response and the request log report of an answer. */
    public void answered(Answer answer) {
        callOrigin.answered(answer);
    }

    @Nullable
    public String idempotencyKey(ObjectNode arguments) {
        return callOrigin.idempotencyKey(arguments);
    }
}
