package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.scheduling.OpenRequest;
import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.InputResponses;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.RequestNotifier;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.StreamableResponse;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.StorableInput;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs the requests of sessions: sends questions to the client where a method needs them, and
 * stops when a request is cancelled.
 */
public final class SessionWork {
    private static final String DEFAULT_LEVEL = "info";
    private static final int ROUNDS = 10;

    private final McpMethods methods;
    private final LaneContext lane;
    private final RunningRequests running;
    private final SessionQuestions questions;

    public SessionWork(McpMethods methods, LaneContext lane, RunningRequests running, SessionQuestions questions) {
        this.methods = methods;
        this.lane = lane;
        this.running = running;
        this.questions = questions;
    }

    /**
     * Handles a message that has no response: a notification, or the response to a question of the server.
     *
     * @throws Problem if the response to a question cannot be used; another one can still come
     */
    void take(JsonRpcMessage message, SessionVisit visit) {
        if (message.isResponse()) {
            StorableInput.check("", message.params());
            questions.answered(message, visit.session());
        } else if (StorableInput.isStorable(message.params())
                && message.method().equals("notifications/cancelled")) {
            var request = message.params().get("requestId");
            if (request != null && (request.isString() || request.isIntegralNumber())) {
                running.cancel(visit.session(), request);
            }
        }
    }

    void serve(JsonRpcMessage message, SessionVisit visit) {
        var response = lane.begin(visit.exchange());
        try (var _ = running.enter(visit.session(), Objects.requireNonNull(message.id()), response)) {
            response.finish(HttpStatus.OK_200, message.answer(result(message, visit, response)));
        } catch (RpcError error) {
            response.finish(visit.exchange().status(error, HttpStatus.OK_200), error.json(message.id()));
        } catch (RuntimeException | Error defect) {
            response.fail(defect);
        }
    }

    private ObjectNode result(JsonRpcMessage message, SessionVisit visit, StreamableResponse response) {
        var level =
                visit.state().logLevel() == null ? DEFAULT_LEVEL : visit.state().logLevel();
        var notifier = RequestNotifier.of(message, level, response::send, response::start);
        var client = visit.session().client();
        var inputs = InputResponses.NONE;
        for (var round = 0; round < ROUNDS; round++) {
            var mcpRequest = new McpRequest(visit.exchange(), client, notifier, inputs, message.meta());
            switch (methods.serve(message.method(), message.params(), mcpRequest)) {
                case MethodResult.Done done -> {
                    return done.result();
                }
                case MethodResult.Ask ask -> {
                    var answers = new HashMap<>(inputs.answers());
                    answers.putAll(ask(ask, visit, response, mcpRequest));
                    inputs = new InputResponses(answers, ask.state());
                }
            }
        }
        throw new IllegalStateException(message.method() + " asks back without end");
    }

    private Map<String, ObjectNode> ask(
            MethodResult.Ask ask, SessionVisit visit, StreamableResponse response, McpRequest mcpRequest) {
        if (ask.elsewhere() != null && !response.isHeard()) {
            return Map.of();
        }
        check(ask, mcpRequest.client(), response, mcpRequest);
        var resumption = visit.exchange().pause();
        var answers = questions.ask(ask, visit.session(), response, mcpRequest.requestId());
        resumption.run();
        if (!OpenRequest.current().validity().getAsBoolean()) {
            throw RpcError.of(
                    Problem.unauthenticated("your credential became invalid while the person was asked"),
                    mcpRequest.requestId());
        }
        return answers;
    }

    private static void check(
            MethodResult.Ask ask, ClientInfo client, StreamableResponse response, McpRequest mcpRequest) {
        LaneContext.checkAbilities(ask, client);
        if (!response.isHeard()) {
            throw RpcError.invalidRequest(
                    Problem.invalid(
                                    "the header Accept",
                                    "must contain text/event-stream, since the server sends a question back")
                            .because(Cause.ACCEPT),
                    mcpRequest.requestId());
        }
    }

    /** Returns the response to one request of a batch. Batches carry no progress or questions. */
    ObjectNode answer(JsonRpcMessage message, SessionVisit visit) {
        var mcpRequest = visit.quietTurn();
        try {
            return switch (methods.serve(message.method(), message.params(), mcpRequest)) {
                case MethodResult.Done done -> message.answer(done.result());
                case MethodResult.Ask _ ->
                    throw RpcError.invalidRequest(
                            JsonRpcMessage.invalid("this asks something back: send it alone, not in a batch"),
                            mcpRequest.requestId());
            };
        } catch (RpcError error) {
            return error.json(message.id());
        }
    }
}
