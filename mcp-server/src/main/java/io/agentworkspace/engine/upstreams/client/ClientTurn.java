package io.agentworkspace.engine.upstreams.client;

import io.agentworkspace.engine.mcp.wire.JsonRpcMessage;
import io.agentworkspace.engine.mcp.wire.ProtocolRevision;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.upstream.ClientInput;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What passes between the client of a call and the server that it is passed on to: metadata, questions and answers. */
public final class ClientTurn {
    private static final int MOST_ROUNDS = 5;
    private static final int MOST_QUESTIONS = 10;
    private static final int LONGEST_MESSAGE = 1_000;
    private static final int LARGEST = 32 * 1024;
    private static final Map<String, String> ABILITIES =
            Map.of("elicitation/create", "elicitation", "sampling/createMessage", "sampling");

    private ClientTurn() {}

    /** Returns the parameters of a request with what its client sent. Only stateless servers can ask something. */
    public static ObjectNode params(ObjectNode params, ClientInput input, String era) {
        var sent = params.deepCopy();
        var meta = sent.putObject(JsonRpcMessage.META);
        meta.setAll(input.meta());
        if (era.equals(ProtocolRevision.MODERN.word())) {
            meta.set(JsonRpcMessage.meta("clientCapabilities"), input.capabilities());
            if (!input.answers().isEmpty()) {
                input.answers().forEach(sent.putObject("inputResponses")::set);
            }
            if (input.state() != null) {
                sent.put("requestState", input.state());
            }
        }
        return sent;
    }

    public static boolean asks(ObjectNode result) {
        return result.path("resultType").asString("").equals("input_required");
    }

    /** Passes the server's questions on, as far as the client can be asked. Returns the refusal that ends the call. */
    public static Problem question(String upstream, ObjectNode result, Call call) {
        var input = call.progress().input();
        var asked = result.path("inputRequests");
        if (input.rounds() >= MOST_ROUNDS
                || asked.size() > MOST_QUESTIONS
                || Json.text(result).length() > LARGEST) {
            return Problem.conflict(
                    "the upstream server '%s' asks too much: the call was not made".formatted(upstream));
        }
        var questions = new LinkedHashMap<String, ObjectNode>();
        for (var each : asked.properties()) {
            var question = each.getValue() instanceof ObjectNode one ? passedOn(upstream, one, input) : null;
            if (question == null) {
                return Problem.conflict(
                        "the upstream server '%s' asks for something that your client cannot answer (%s): use a client with elicitation or sampling"
                                .formatted(
                                        upstream,
                                        Excerpt.cut(
                                                each.getValue().path("method").asString("unknown"), 50)));
            }
            questions.put(each.getKey(), question);
        }
        var state = result.path("requestState");
        call.progress().ask(questions, state.isString() ? state.asString() : null);
        return Problem.conflict("the upstream server '%s' asks the user something first".formatted(upstream));
    }

    /** Returns whether a client can read it. A person is asked by a form only: an address could lead anywhere. */
    private static boolean isComplete(String method, JsonNode params) {
        return method.equals("elicitation/create")
                ? params.path("mode").asString("form").equals("form")
                        && params.path("message").isString()
                        && params.at("/requestedSchema/properties").isObject()
                : params.path("messages").isArray() && params.path("maxTokens").isNumber();
    }

    /** Returns the question with its origin; null if the client did not declare that it answers such ones. */
    private static @Nullable ObjectNode passedOn(String upstream, ObjectNode question, ClientInput input) {
        var method = question.path("method").asString("");
        var params = question.path("params");
        if (!input.capabilities().has(ABILITIES.getOrDefault(method, "none")) || !isComplete(method, params)) {
            return null;
        }
        var passed = Json.object().put("method", method);
        var copy = params instanceof ObjectNode given ? given.deepCopy() : Json.object();
        if (method.equals("elicitation/create")) {
            var message = Excerpt.cut(copy.path("message").asString(""), LONGEST_MESSAGE);
            copy.put("message", "The server '%s' asks: %s".formatted(upstream, message));
        }
        passed.set("params", copy);
        return passed;
    }
}
