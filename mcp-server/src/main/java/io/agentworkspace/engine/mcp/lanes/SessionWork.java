package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.StreamableResponse;
import io.agentworkspace.engine.mcp.wire.ClientInfo;
import io.agentworkspace.engine.mcp.wire.InputResponses;
import io.agentworkspace.engine.mcp.wire.JsonRpcMessage;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import io.agentworkspace.engine.mcp.wire.RequestNotifier;
import io.agentworkspace.engine.mcp.wire.RpcError;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.HashMap;
import java.util.Objects;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.node.ObjectNode;

/** Carries out the requests of sessions: answers what is asked, asks back where that is needed, and stops when told to. */
public final class SessionWork {
    private static final String DEFAULT_LEVEL = "info";
    private static final int ROUNDS = 10;

    private final McpMethods methods;
    private final LaneContext workings;
    private final RunningRequests inFlight;
    private final SessionQuestions interview;

    public SessionWork(McpMethods methods, LaneContext workings, RunningRequests inFlight, SessionQuestions interview) {
        this.methods = methods;
        this.workings = workings;
        this.inFlight = inFlight;
        this.interview = interview;
    }

    /** Takes what has no answer. */
    void take(JsonRpcMessage message, SessionVisit visit) {
        if (message.isResponse()) {
            interview.answered(message, visit.session());
        } else if (message.method().equals("notifications/cancelled")) {
            var request = message.params().get("requestId");
            if (request != null && (request.isString() || request.isIntegralNumber())) {
                inFlight.cancel(visit.session(), request);
            }
        }
    }

    void serve(JsonRpcMessage message, SessionVisit visit) {
        var reply = workings.begin(visit.exchange());
        try (var _ = inFlight.enter(visit.session(), Objects.requireNonNull(message.id()), reply)) {
            reply.finish(HttpStatus.OK_200, message.answer(result(message, visit, reply)));
        } catch (RpcError error) {
            reply.finish(visit.exchange().status(error, HttpStatus.OK_200), error.json(message.id()));
        } catch (RuntimeException | Error defect) {
            reply.fail(defect);
        }
    }

    private ObjectNode result(JsonRpcMessage message, SessionVisit visit, StreamableResponse reply) {
        var level =
                visit.state().logLevel() == null ? DEFAULT_LEVEL : visit.state().logLevel();
        var voice = RequestNotifier.of(message, level, reply::say);
        var client = visit.session().client();
        var inputs = InputResponses.NONE;
        for (var round = 0; round < ROUNDS; round++) {
            var turn = new McpRequest(visit.exchange(), client, voice, inputs);
            switch (methods.serve(message.method(), message.params(), turn)) {
                case MethodResult.Done done -> {
                    return done.result();
                }
                case MethodResult.Ask ask -> {
                    check(ask, client, reply, turn);
                    var answers = new HashMap<>(inputs.answers());
                    var resumption = visit.exchange().pause();
                    answers.putAll(interview.ask(ask, visit.session(), reply, turn.requestId()));
                    resumption.run();
                    inputs = new InputResponses(answers, ask.state());
                }
            }
        }
        throw new IllegalStateException(message.method() + " asks back without end");
    }

    private static void check(MethodResult.Ask ask, ClientInfo client, StreamableResponse reply, McpRequest turn) {
        LaneContext.checkAbilities(ask, client);
        if (!reply.isHeard()) {
            throw RpcError.invalidRequest(
                    Problem.invalid(
                                    "the header Accept",
                                    "must hold text/event-stream, for this asks you something back")
                            .because(Cause.ACCEPT),
                    turn.requestId());
        }
    }

    /** The response to one request of a batch, which nothing is said to meanwhile. */
    ObjectNode answer(JsonRpcMessage message, SessionVisit visit) {
        var turn = visit.quietTurn();
        try {
            return switch (methods.serve(message.method(), message.params(), turn)) {
                case MethodResult.Done done -> message.answer(done.result());
                case MethodResult.Ask _ ->
                    throw RpcError.invalidRequest(
                            JsonRpcMessage.invalid("this asks something back: send it alone, not in a batch"),
                            turn.requestId());
            };
        } catch (RpcError error) {
            return error.json(message.id());
        }
    }
}
