package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.Answer;
import io.agentworkspace.engine.model.Budget;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Effect;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Progress;
import io.agentworkspace.engine.model.Route;
import io.agentworkspace.engine.model.Tool;
import io.agentworkspace.engine.model.ToolRunner;
import io.agentworkspace.engine.model.Whence;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The request being answered, with what the gate found out about it: Jersey's own request carries neither. */
record Exchange(Request request) {
    /** Bound while the facade handles a request, which it does on one thread from beginning to end. */
    static final ScopedValue<Exchange> CURRENT = ScopedValue.newInstance();

    static Exchange current() {
        return CURRENT.get();
    }

    String requestId() {
        return (String) Objects.requireNonNull(request.getAttribute(Incoming.REQUEST_ID), Incoming.REQUEST_ID);
    }

    @Nullable
    Caller caller() {
        return (Caller) request.getAttribute(Incoming.CALLER);
    }

    String method() {
        return request.getMethod();
    }

    String path() {
        return request.getHttpURI().getPath();
    }

    /** Whether the answer must be the envelope, whatever goes wrong. */
    boolean isCommand() {
        return path().equals(Route.COMMANDS) || path().startsWith(Route.COMMANDS + "/");
    }

    /** What makes a page of a refusal, where a person's browser asks. */
    @SuppressWarnings("unchecked") // The gate sets it.
    Optional<Function<Problem, byte[]>> refusalPage() {
        return Optional.ofNullable((Function<Problem, byte[]>) request.getAttribute(Incoming.REFUSAL_PAGE));
    }

    /** In bytes; -1 when it was not declared. */
    long bodyLength() {
        return request.getLength();
    }

    @Nullable
    String contentType() {
        return request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    }

    /** Whether the client has the very bytes already that this tag stands for. */
    boolean has(String quotedTag) {
        var tags = String.join(",", request.getHeaders().getValuesList(HttpHeader.IF_NONE_MATCH));
        return tags.strip().equals("*") || tags.contains(quotedTag);
    }

    /** Whether the client waits for a word from us before it sends the body. */
    boolean expectsContinue() {
        return request.getHeaders().contains(HttpHeader.EXPECT);
    }

    /** @throws Problem if a foreign page may have sent this, except for calls that only read */
    private void checkMayRun(Optional<Tool<?, ?>> tool, ObjectNode arguments) {
        var reads = tool.isPresent() && tool.get().runFor(arguments).effect() == Effect.READS;
        if (!reads && request.getAttribute(Incoming.FORGERY) instanceof Problem problem) {
            throw problem;
        }
    }

    /** For the request log. */
    void runs(Tool<?, ?> tool) {
        request.setAttribute(Incoming.SERVICE, tool.name());
    }

    private Whence whence() {
        var program = request.getHeaders().get(HttpHeader.USER_AGENT);
        return new Whence(Whence.REST, Request.getRemoteAddr(request), program);
    }

    /** Who asks. */
    Caller identified() {
        var caller = caller();
        if (caller == null) {
            throw Problem.unauthenticated(
                    "send your API key in the header X-Api-Key, or as Authorization: Bearer <key>");
        }
        return caller;
    }

    /**
     * Runs a tool for who asks; what that one then has left is told in the headers too. Who has no credential hears what is
     * public, where anything is.
     */
    Answer run(ToolRunner runner, String service, ObjectNode arguments, boolean strict) {
        return run(runner, service, arguments, strict, Budget.once());
    }

    Answer run(ToolRunner runner, String service, ObjectNode arguments, boolean strict, Budget budget) {
        checkMayRun(runner.catalogue().find(service), arguments);
        if (caller() == null) {
            var open = runner.open(service, arguments, requestId());
            if (open.isPresent()) {
                return open.get();
            }
        }
        var answer = runner.run(asks(service, arguments, strict).within(budget));
        request.setAttribute(Incoming.LIMITS, answer.limits());
        return answer;
    }

    private ToolRunner.Request asks(String service, ObjectNode arguments, boolean strict) {
        var key = request.getHeaders().get("Idempotency-Key");
        return new ToolRunner.Request(
                service,
                arguments,
                identified(),
                requestId(),
                strict,
                key,
                Progress.SILENT,
                whence(),
                Budget.once(),
                false);
    }
}
