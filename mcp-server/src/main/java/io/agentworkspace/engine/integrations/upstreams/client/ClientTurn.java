package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.upstream.ClientInput;
import io.agentworkspace.engine.model.upstream.HeldCall;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
            Map.of("elicitation/create", "elicitation", "sampling/createMessage", "sampling", "roots/list", "roots");
    private static final Set<String> ASKING = Set.of("tools/call", "prompts/get", "resources/read");

    /** What a client can read of each kind of question. All other fields are left out. */
    private static final Map<String, List<String>> FIELDS = Map.of(
            "elicitation/create",
            List.of("message", "requestedSchema"),
            "sampling/createMessage",
            List.of("messages", "modelPreferences", "systemPrompt", "temperature", "maxTokens", "stopSequences"),
            "roots/list",
            List.of());

    private ClientTurn() {}

    /** Returns what the engine declares to servers: each capability that a client can have. If a client lacks one, its question is refused. */
    static ObjectNode everything() {
        var all = Json.object();
        ABILITIES.values().stream().sorted().forEach(all::putObject);
        return all;
    }

    /** Returns whether the protocol allows questions during requests of this method. */
    static boolean mayAsk(String method) {
        return ASKING.contains(method);
    }

    /** Returns whether it is the method of a question to a client. */
    static boolean isQuestion(String method) {
        return ABILITIES.containsKey(method);
    }

    /** Returns the parameters of a request with what its client sent. */
    public static ObjectNode params(ObjectNode params, ClientInput input, String era) {
        var sent = params.deepCopy();
        var meta = sent.putObject(JsonRpcMessage.META);
        meta.setAll(input.meta());
        if (era.equals(ProtocolRevision.MODERN.word())) {
            meta.set(JsonRpcMessage.meta("clientCapabilities"), input.capabilities());
        }
        if (!input.answers().isEmpty()) {
            input.answers().forEach(sent.putObject("inputResponses")::set);
        }
        if (input.state() != null) {
            sent.put("requestState", input.state());
        }
        return sent;
    }

    public static boolean asks(ObjectNode result) {
        return result.path("resultType").asString("").equals("input_required");
    }

    /**
     * Passes the server's questions on, as far as the client can be asked. Returns the refusal that ends the request.
     *
     * @param waiting the call, if the server keeps it open
     */
    public static Problem question(String upstream, ObjectNode result, Call call, @Nullable HeldCall waiting) {
        var input = call.progress().input();
        var requests = result.path("inputRequests");
        if (input.rounds() >= MOST_ROUNDS
                || requests.size() > MOST_QUESTIONS
                || Json.text(result).length() > LARGEST) {
            abandon(waiting);
            return Problem.conflict("the upstream server '%s' asks too much: %s".formatted(upstream, outcome(waiting)));
        }
        var questions = new LinkedHashMap<String, ObjectNode>();
        for (var each : requests.properties()) {
            if (!(each.getValue() instanceof ObjectNode question) || refusal(question, input) != null) {
                abandon(waiting);
                return Problem.conflict(
                        "the upstream server '%s' asks for something that your client cannot answer (%s): %s; use a client with elicitation, sampling or roots"
                                .formatted(
                                        upstream,
                                        Excerpt.cut(
                                                each.getValue().path("method").asString("unknown"), 50),
                                        outcome(waiting)));
            }
            questions.put(each.getKey(), marked(upstream, question));
        }
        var state = result.path("requestState");
        call.progress().ask(questions, state.isString() ? state.asString() : null, waiting);
        return Problem.conflict("the upstream server '%s' asks the user something first".formatted(upstream));
    }

    private static String outcome(@Nullable HeldCall waiting) {
        return waiting == null
                ? "the call was not made"
                : "whether the call was carried out is unknown, so check before you repeat it";
    }

    private static void abandon(@Nullable HeldCall waiting) {
        if (waiting != null) {
            waiting.abandon();
        }
    }

    /** Returns why the client is not asked this; null if it is. */
    static @Nullable String refusal(ObjectNode question, ClientInput input) {
        var method = question.path("method").asString("");
        if (!input.capabilities().has(ABILITIES.getOrDefault(method, "none"))) {
            return "the client of this call does not answer %s".formatted(Excerpt.cut(method, 50));
        }
        if (Json.text(question).length() > LARGEST) {
            return "a question has at most %,d characters".formatted(LARGEST);
        }
        return isComplete(method, question.path("params")) ? null : "it cannot be asked in this form";
    }

    /** Returns whether a client can read it. A person is asked by a form only: an address could lead anywhere. */
    private static boolean isComplete(String method, JsonNode params) {
        return switch (method) {
            case "elicitation/create" ->
                params.path("mode").asString("form").equals("form")
                        && params.path("message").isString()
                        && params.at("/requestedSchema/properties").isObject();
            case "sampling/createMessage" ->
                params.path("messages").isArray() && params.path("maxTokens").isNumber() && !params.has("tools");
            default -> true;
        };
    }

    /** Returns the question with its origin: its texts are those of the server, not of the engine. */
    private static ObjectNode marked(String upstream, ObjectNode question) {
        var method = question.path("method").asString("");
        var params = question.path("params");
        var copy = Json.object();
        FIELDS.getOrDefault(method, List.of()).stream()
                .filter(params::has)
                .forEach(field -> copy.set(field, params.get(field).deepCopy()));
        if (method.equals("elicitation/create")) {
            copy.put("message", "The server '%s' asks: %s".formatted(upstream, plain(params.path("message"))));
        } else if (method.equals("sampling/createMessage")) {
            var own = params.path("systemPrompt").asString("");
            copy.put(
                    "systemPrompt", ForeignTool.marked("Request", upstream, own).strip());
        }
        var passed = Json.object().put("method", method);
        passed.set("params", copy);
        return passed;
    }

    private static String plain(JsonNode message) {
        return Excerpt.cut(message.asString("").replaceAll("[\\p{Cf}\\p{Cs}\\p{Cntrl}&&[^\n]]", " "), LONGEST_MESSAGE);
    }
}
