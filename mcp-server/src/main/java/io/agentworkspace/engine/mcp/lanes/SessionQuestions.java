package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.streams.StreamableResponse;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.node.ObjectNode;

/**
 * Asks the client of a session. Each question is a request on the response stream; the client posts its
 * response as a message to any replica.
 */
public final class SessionQuestions implements DatabaseSignals.Listener {
    private static final String ANSWER = "answer";

    /** Escaping inside a signal can nearly double the length of the text. */
    private static final int MAX_TOLD = DatabaseSignals.MAX_BYTES / 2 - 100;

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final ConcurrentHashMap<QuestionKey, CompletableFuture<ObjectNode>> open = new ConcurrentHashMap<>();
    private final SessionStore sessions;

    public SessionQuestions(SessionStore sessions) {
        this.sessions = sessions;
    }

    private record QuestionKey(long tenant, String session, String question) {}

    /** Sends all questions at once and waits for the answers. */
    Map<String, ObjectNode> ask(MethodResult.Ask ask, McpSession session, StreamableResponse stream, String requestId) {
        var questions = new LinkedHashMap<String, Posed>();
        try {
            ask.questions().forEach((name, question) -> questions.put(name, pose(question, session, stream)));
            return ask.elsewhere() == null
                    ? answers(questions, requestId)
                    : answers(questions, ask.elsewhere(), stream, requestId);
        } finally {
            questions.values().forEach(posed -> open.remove(posed.key()));
        }
    }

    private static Map<String, ObjectNode> answers(Map<String, Posed> questions, String requestId) {
        var answers = new LinkedHashMap<String, ObjectNode>();
        questions.forEach((name, posed) -> {
            var response = await(posed.response(), PATIENCE, requestId)
                    .orElseThrow(() -> refused("the client did not answer the question in time", requestId));
            if (!(response.get("result") instanceof ObjectNode answer)) {
                throw refused("the client refused to answer the question", requestId);
            }
            answers.put(name, answer);
        });
        return answers;
    }

    /** Returns the answers of the client, as far as they come before that of somebody elsewhere. */
    private static Map<String, ObjectNode> answers(
            Map<String, Posed> questions,
            MethodResult.Elsewhere elsewhere,
            StreamableResponse stream,
            String requestId) {
        var answers = new LinkedHashMap<String, ObjectNode>();
        var watch = Thread.startVirtualThread(() -> {
            if (elsewhere.answered().getAsBoolean()) {
                questions.values().forEach(posed -> posed.response().complete(Json.object()));
            }
        });
        try {
            questions.forEach((name, posed) -> {
                var response =
                        await(posed.response(), elsewhere.longest(), requestId).orElseGet(Json::object);
                if (response.get("result") instanceof ObjectNode answer) {
                    answers.put(name, answer);
                } else if (!response.has("error")) {
                    stream.send(withdrawal(posed));
                }
            });
            return answers;
        } catch (RpcError cancelled) {
            elsewhere.abandoned().run();
            throw cancelled;
        } finally {
            watch.interrupt();
        }
    }

    private static ObjectNode withdrawal(Posed posed) {
        var notification = Json.object().put("jsonrpc", "2.0").put("method", "notifications/cancelled");
        notification
                .putObject("params")
                .put("requestId", posed.key().question())
                .put("reason", "it is no longer asked here");
        return notification;
    }

    private record Posed(QuestionKey key, CompletableFuture<ObjectNode> response) {}

    private Posed pose(ObjectNode question, McpSession session, StreamableResponse stream) {
        var id = UUID.randomUUID().toString();
        var key = new QuestionKey(session.handle().tenant(), session.handle().id(), id);
        var posed = new Posed(key, new CompletableFuture<>());
        open.put(key, posed.response());
        var request = Json.object().put("jsonrpc", "2.0").put("id", id);
        request.setAll(question);
        stream.send(request);
        return posed;
    }

    /** Returns the client's response; empty if there is none in time. */
    private static Optional<ObjectNode> await(CompletableFuture<ObjectNode> posed, Duration longest, String requestId) {
        try {
            return Optional.of(posed.get(longest.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused("the request was cancelled", requestId);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RpcError refused(String note, String requestId) {
        return RpcError.invalidRequest(new Problem(Failure.CONFLICT, note), requestId);
    }

    /**
     * Delivers a response that the client posted to the replica that asked the question.
     *
     * @throws Problem {@code too_large} if the response is too long to be signalled to another replica
     */
    void answered(JsonRpcMessage response, McpSession session) {
        if (response.id() == null || !response.id().isString()) {
            return;
        }
        var key = new QuestionKey(
                session.handle().tenant(), session.handle().id(), response.id().asString());
        if (!take(key, response.params())) {
            send(key, Json.text(response.params()));
        }
    }

    private void send(QuestionKey key, String answer) {
        var size = answer.getBytes(StandardCharsets.UTF_8).length;
        if (size > MAX_TOLD) {
            throw Problem.tooLarge("an answer to what another replica asked", size, MAX_TOLD, "bytes");
        }
        sessions.signal(
                new DatabaseSignals.Signal(key.tenant(), ANSWER, List.of(key.session(), key.question(), answer), null));
    }

    private boolean take(QuestionKey key, ObjectNode response) {
        var waiting = open.get(key);
        return waiting != null && waiting.complete(response);
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (signal.k().equals(ANSWER) && signal.n().size() == 3) {
            var key = new QuestionKey(signal.t(), signal.n().get(0), signal.n().get(1));
            take(key, Json.readObject(signal.n().get(2).getBytes(StandardCharsets.UTF_8)));
        }
    }

    @Override
    public void gap() {
        // The waiting request times out.
    }
}
