package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Problem;
import java.util.HashMap;
import java.util.Objects;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.node.ObjectNode;

/** Carries out the requests of sessions: answers what is asked, asks back where that is needed, and stops when told to. */
final class SessionWork {
    private static final String DEFAULT_LEVEL = "info";
    private static final int ROUNDS = 10;

    private final Methods methods;
    private final Workings workings;
    private final InFlight inFlight;
    private final Interview interview;

    SessionWork(Methods methods, Workings workings, InFlight inFlight, Interview interview) {
        this.methods = methods;
        this.workings = workings;
        this.inFlight = inFlight;
        this.interview = interview;
    }

    /** Takes what has no answer. */
    void take(Message message, SessionVisit visit) {
        if (message.isResponse()) {
            interview.answered(message, visit.session());
        } else if (message.method().equals("notifications/cancelled")) {
            var request = message.params().get("requestId");
            if (request != null && (request.isString() || request.isIntegralNumber())) {
                inFlight.cancel(visit.session(), request);
            }
        }
    }

    void serve(Message message, SessionVisit visit) {
        var reply = workings.begin(visit.exchange());
        try (var _ = inFlight.enter(visit.session(), Objects.requireNonNull(message.id()), reply)) {
            reply.finish(HttpStatus.OK_200, message.answer(result(message, visit, reply)));
        } catch (RpcError error) {
            reply.finish(visit.exchange().status(error, HttpStatus.OK_200), error.json(message.id()));
        } catch (RuntimeException | Error defect) {
            reply.fail(defect);
        }
    }

    private ObjectNode result(Message message, SessionVisit visit, Reply reply) {
        var level =
                visit.state().logLevel() == null ? DEFAULT_LEVEL : visit.state().logLevel();
        var voice = Voice.of(message, level, reply::say);
        var client = visit.session().client();
        var inputs = Inputs.NONE;
        for (var round = 0; round < ROUNDS; round++) {
            var turn = new Turn(visit.exchange(), client, voice, inputs);
            switch (methods.serve(message.method(), message.params(), turn)) {
                case Outcome.Done done -> {
                    return done.result();
                }
                case Outcome.Ask ask -> {
                    check(ask, client, reply, turn);
                    var answers = new HashMap<>(inputs.answers());
                    var resumption = visit.exchange().pause();
                    answers.putAll(interview.ask(ask, visit.session(), reply, turn.requestId()));
                    resumption.run();
                    inputs = new Inputs(answers, ask.state());
                }
            }
        }
        throw new IllegalStateException(message.method() + " asks back without end");
    }

    private static void check(Outcome.Ask ask, Client client, Reply reply, Turn turn) {
        Workings.checkAbilities(ask, client);
        if (!reply.isHeard()) {
            throw RpcError.invalidRequest(
                    Problem.invalid(
                            "the header Accept", "must hold text/event-stream, for this asks you something back"),
                    turn.requestId());
        }
    }

    /** The response to one request of a batch, which nothing is said to meanwhile. */
    ObjectNode answer(Message message, SessionVisit visit) {
        var turn = visit.quietTurn();
        try {
            return switch (methods.serve(message.method(), message.params(), turn)) {
                case Outcome.Done done -> message.answer(done.result());
                case Outcome.Ask _ ->
                    throw RpcError.invalidRequest(
                            Message.invalid("this asks something back: send it alone, not in a batch"),
                            turn.requestId());
            };
        } catch (RpcError error) {
            return error.json(message.id());
        }
    }
}
