package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.callplan.CallPlanRun;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.LenientInput;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The current request, with what the gate found out about it. Jersey's own request has neither. */
record RestExchange(Request request) {
    private static final String READ_ONLY = "X-MCP-Readonly";

    /** The current exchange, bound while the facade handles a request: on one thread from beginning to end. */
    static final ScopedValue<RestExchange> CURRENT = ScopedValue.newInstance();

    static RestExchange current() {
        return CURRENT.get();
    }

    RequestContext context() {
        return RequestContext.of(request::getAttribute);
    }

    String requestId() {
        return context().requestId();
    }

    @Nullable
    Caller caller() {
        return context().caller();
    }

    String method() {
        return request.getMethod();
    }

    String path() {
        return request.getHttpURI().getPath();
    }

    /** Returns whether the response must be the envelope, even for errors. */
    boolean isCommand() {
        return Route.isCommand(path());
    }

    /** Returns the function that renders a refusal as a page, if the client is a person's browser. */
    Optional<Function<Problem, byte[]>> refusalPage() {
        return context().refusalPage();
    }

    /** Returns the length of the body in bytes; -1 if it was not declared. */
    long bodyLength() {
        return request.getLength();
    }

    /** Returns the content encoding; empty if the body has none. */
    String contentEncoding() {
        return Objects.requireNonNullElse(request.getHeaders().get(HttpHeader.CONTENT_ENCODING), "");
    }

    @Nullable
    String contentType() {
        return request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    }

    /** Returns whether the client accepts JSON and nothing else. */
    boolean acceptsOnlyJson() {
        var accepted = request.getHeaders().getCSV(HttpHeader.ACCEPT, false);
        return !accepted.isEmpty()
                && accepted.stream()
                        .allMatch(each -> each.split(";", 2)[0].strip().equals("application/json"));
    }

    /** Returns whether the client already has the bytes that this ETag identifies. */
    boolean has(String quotedTag) {
        var tags = String.join(",", request.getHeaders().getValuesList(HttpHeader.IF_NONE_MATCH));
        return tags.strip().equals("*") || tags.contains(quotedTag);
    }

    /** Returns whether the client waits for {@code 100 Continue} before it sends the body. */
    boolean expectsContinue() {
        return request.getHeaders().contains(HttpHeader.EXPECT);
    }

    /** @throws Problem if the request may come from another site's page, or says that it changes nothing */
    void checkMayRun(Tool<?, ?> tool, ObjectNode arguments) {
        checkMayRun(Optional.of(tool), arguments);
        if (isReadOnly() && !tool.effect().reads()) {
            throw Problem.notPermitted(
                    "%s changes something: leave out the header %s".formatted(tool.name(), READ_ONLY));
        }
    }

    /** @throws Problem if a page of another site may have sent the request, except for calls that only read */
    void checkMayRun(Optional<Tool<?, ?>> tool, ObjectNode arguments) {
        var reads = tool.isPresent() && tool.get().runFor(arguments).effect() == Effect.READS;
        var forgery = context().forgery();
        if (!reads && forgery.isPresent()) {
            throw forgery.get();
        }
    }

    /** Closes the connection, so that the client does not take the part of a response for the whole. */
    void abort() {
        request.getConnectionMetaData().getConnection().getEndPoint().close();
    }

    /** Records the tool for the request log. */
    void runs(Tool<?, ?> tool) {
        context().ran(tool.name());
    }

    RequestSource source() {
        var program = request.getHeaders().get(HttpHeader.USER_AGENT);
        return new RequestSource(RequestSource.REST, Request.getRemoteAddr(request), program);
    }

    /** Returns the caller, who must have a credential. */
    Caller identified() {
        var caller = caller();
        if (caller == null) {
            throw Problem.unauthenticated(
                    "send your API key in the header X-Api-Key, or as Authorization: Bearer <key>");
        }
        return caller;
    }

    /**
     * Runs a tool for the caller. What the caller then has left is also in the response's headers. Without a
     * credential, the response is the tool's public data, if it has any.
     */
    Answer run(ToolRunner runner, String service, ObjectNode arguments, boolean strict) {
        return run(runner, service, arguments, strict, ResponseBudget.once());
    }

    Answer run(ToolRunner runner, String service, ObjectNode arguments, boolean strict, ResponseBudget budget) {
        var caller = caller();
        var tool = caller == null
                ? runner.catalogue().find(service)
                : runner.catalogue().find(service, caller);
        tool.ifPresent(found -> LenientInput.place(arguments, found.inputSchema()));
        tool.ifPresentOrElse(found -> checkMayRun(found, arguments), () -> checkMayRun(tool, arguments));
        if (caller == null) {
            var open = runner.open(service, arguments, requestId());
            if (open.isPresent()) {
                return open.get();
            }
        }
        var answer = runner.run(asks(service, arguments, strict).within(budget));
        context().answered(answer);
        return answer;
    }

    /** Runs a plan for the caller. */
    Answer run(CallPlanRun plan) {
        var answer = plan.run();
        context().answered(answer);
        return answer;
    }

    /** Runs a reading tool for one more part of what the request is answered with. It does not count as another command. */
    Answer runFurther(ToolRunner runner, String service, ObjectNode arguments) {
        return runner.runUncounted(asks(service, arguments, true));
    }

    /** Returns what the runner needs to know of a call. */
    ToolRunner.Request asks(String service, ObjectNode arguments, boolean strict) {
        var key = request.getHeaders().get("Idempotency-Key");
        return new ToolRunner.Request(
                service,
                arguments,
                identified(),
                requestId(),
                strict,
                key,
                Progress.SILENT,
                source(),
                ResponseBudget.once(),
                isReadOnly());
    }

    /**
     * Returns whether the request must change nothing: then AP_Read marks no messages as read. As over MCP, any value but
     * {@code false} means so, since a mistyped one must not allow changes.
     */
    private boolean isReadOnly() {
        return request.getHeaders().getCSV(READ_ONLY, false).stream()
                .anyMatch(value -> !value.isBlank() && !value.equalsIgnoreCase("false"));
    }
}
