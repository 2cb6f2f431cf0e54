package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.identity.credentials.Credentials;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.kernel.wire.Era;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.mcp.source.CallOrigin;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One HTTP request to the MCP endpoint, and its response. */
public final class McpExchange implements CallOrigin {
    public static final String SESSION = "Mcp-Session-Id";
    public static final String VERSION = "MCP-Protocol-Version";
    private static final Set<String> EVENT_RANGES = Set.of("text/event-stream", "text/*", "*/*");

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final @Nullable ProtectedResource resource;
    private final ResponseBudget budget = ResponseBudget.twice();
    private volatile @Nullable String program;
    private volatile @Nullable Greeting greeting;
    private volatile @Nullable RpcError failure;

    /** @param resource the endpoint as an OAuth resource, if it accepts access tokens */
    public McpExchange(Request request, Response response, Callback callback, @Nullable ProtectedResource resource) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.resource = resource;
    }

    public Request request() {
        return request;
    }

    public Response response() {
        return response;
    }

    public Callback callback() {
        return callback;
    }

    /** A message and the protocol era of its client. */
    public record Greeting(String era, JsonRpcMessage message) {
        /** Returns whether a client may begin with this message. In a session only {@code initialize} qualifies. */
        public boolean isHandshake() {
            return !message.isResponse()
                    && !message.isNotification()
                    && (!era.equals(Era.SESSION) || message.method().equals("initialize"));
        }
    }

    /** Stores the message that a lane serves. */
    public void greets(String era, JsonRpcMessage message) {
        greeting = new Greeting(era, message);
    }

    /** Forgets the message: it may be large, and a stream may stay open for hours. */
    public void forgetGreeting() {
        greeting = null;
    }

    @Nullable
    public Greeting greeting() {
        return greeting;
    }

    /** Stores the error in the response. */
    public void failed(RpcError error) {
        failure = error;
    }

    @Nullable
    public RpcError failure() {
        return failure;
    }

    @Override
    public Caller caller() {
        return context().identified();
    }

    @Override
    public String requestId() {
        return context().requestId();
    }

    @Override
    public RequestSource source() {
        return new RequestSource(
                RequestSource.MCP, Request.getRemoteAddr(request), program == null ? header("User-Agent") : program);
    }

    private RequestContext context() {
        return RequestContext.of(request::getAttribute);
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeaders().get(name);
    }

    @Override
    public @Nullable String idempotencyKey(ObjectNode arguments) {
        return header("Idempotency-Key");
    }

    /**
     * Counts one more call against the caller's rate limit.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem {@code rate_limited}
     */
    public void countAnother() {
        context().admitted().anotherCall().run();
    }

    /**
     * Returns the memory for the response to the pool. The returned action takes it again, or
     * throws a Problem if there is none.
     */
    public Runnable pause() {
        return context().pause();
    }

    /** Returns whether the client accepts an event stream as a response. */
    public boolean takesEvents() {
        return request.getHeaders().contains(HttpHeader.ACCEPT, "text/event-stream");
    }

    /** Returns whether the client can take an event stream where there is no other response: it does not rule one out. */
    public boolean allowsEvents() {
        var headers = request.getHeaders();
        var types = headers.getQualityCSV(HttpHeader.ACCEPT).stream()
                .map(type -> type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))
                .filter(type -> !type.isEmpty())
                .toList();
        var isSilent = headers.getValuesList(HttpHeader.ACCEPT).stream().allMatch(String::isBlank);
        return isSilent || types.stream().anyMatch(EVENT_RANGES::contains);
    }

    /** Returns a check for streams of whether the credential is still valid. */
    BooleanSupplier validity() {
        return context().admitted().validity();
    }

    /** Records the client program, if it named itself, for the key and the audit. */
    public void comesFrom(@Nullable String client) {
        if (client != null) {
            program = client;
            context().admitted().client().accept(client);
        }
    }

    /** Stores the request to respond to, for whichever code responds or fails. */
    public void answers(JsonRpcMessage message) {
        if (!message.isResponse()) {
            context().answers(message.id());
        }
    }

    @Override
    public ToolSelection selection() {
        return ToolSelection.of(
                Request.getPathInContext(request),
                request.getHeaders(),
                caller().credential().toolset());
    }

    @Override
    public ResponseBudget budget() {
        return budget;
    }

    @Override
    public void ran(String service) {
        context().ran(Name.shortened(service));
    }

    @Override
    public void answered(Answer answer) {
        context().answered(answer);
        if (response.isCommitted()) {
            return;
        }
        if (answer.replayed()) {
            response.getHeaders().put("Idempotency-Replayed", "true");
        }
        if (answer.problem() != null) {
            answer.problem()
                    .retryAfterSeconds()
                    .ifPresent(seconds -> response.getHeaders().put(HttpHeader.RETRY_AFTER, seconds));
        }
    }

    public void reply(JsonNode message) {
        reply(HttpStatus.OK_200, message);
    }

    public void reply(int status, JsonNode message) {
        new JsonResponse(status, JsonResponse.JSON, message).send(response, callback);
    }

    /** Refuses the request, or input that is not a request. */
    public void refuse(RpcError error) {
        failed(error);
        reply(status(error, error.status()), json(error));
    }

    ObjectNode json(RpcError error) {
        return error.json(context().messageId());
    }

    /** Returns the status of a response with this error: the usual one, unless the client needs more scopes. */
    public int status(RpcError error, int usual) {
        if (error.scopes().isEmpty() || resource == null) {
            return usual;
        }
        if (!response.isCommitted()) {
            var challenge = resource.insufficient(
                    Credentials.scheme(request.getHeaders()),
                    Request.getPathInContext(request),
                    error.scopes(),
                    String.valueOf(error.getMessage()));
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, challenge);
        }
        return HttpStatus.FORBIDDEN_403;
    }

    /** Accepts a message that needs no response. */
    public void accept() {
        end(HttpStatus.ACCEPTED_202);
    }

    public void end(int status) {
        response.setStatus(status);
        callback.succeeded();
    }
}
