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
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What passes between the client of a call and the server that it is passed on to: metadata, questions and answers. */
public final class ClientTurn {
    private static final int MOST_ROUNDS = 5;
    private static final int MOST_QUESTIONS = 10;
    private static final int LONGEST_MESSAGE = 1_000;
    private static final int LARGEST = 32 * 1024;
    private static final Pattern PLAIN = Pattern.compile("[\\x21-\\x7e]{1,2000}");
    private static final Pattern LINK_IDS = Pattern.compile("[\\x21-\\x7e]{1,200}");
    private static final int LONGEST_HOST = 253;
    private static final int MOST_LINKS = 3;
    private static final String ELICIT = "elicitation/create";
    private static final String LINK = "url";
    private static final Map<String, String> ABILITIES =
            Map.of(ELICIT, "elicitation", "sampling/createMessage", "sampling", "roots/list", "roots");
    private static final Set<String> ASKING = Set.of("tools/call", "prompts/get", "resources/read");

    /** What a client can read of each kind of question. All other fields are left out. */
    private static final Map<String, List<String>> FIELDS = Map.of(
            ELICIT,
            List.of("mode", "message", "requestedSchema"),
            "sampling/createMessage",
            List.of("messages", "modelPreferences", "systemPrompt", "temperature", "maxTokens", "stopSequences"),
            "roots/list",
            List.of());

    private static final String LINK_ID = "elicitationId";
    private static final List<String> LINK_FIELDS = List.of("mode", "message", LINK, LINK_ID);

    private ClientTurn() {}

    /** Returns what the engine declares to servers: each capability that a client can have. If a client lacks one, its question is refused. */
    static ObjectNode everything() {
        var all = Json.object();
        ABILITIES.values().stream().sorted().forEach(all::putObject);
        all.putObject("elicitation").putObject("form");
        all.withObject("elicitation").putObject(LINK);
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
        var ability = input.capabilities().path(ABILITIES.getOrDefault(method, "none"));
        var isLink = isLink(question);
        if (isLink && !ability.has(LINK)) {
            return "the client of this call does not open links (elicitation/create in mode url)";
        }
        if (!ability.isObject() || method.equals(ELICIT) && !isLink && !ability.has("form")) {
            return "the client of this call does not answer %s".formatted(Excerpt.cut(method, 50));
        }
        if (Json.text(question).length() > LARGEST) {
            return "a question has at most %,d characters".formatted(LARGEST);
        }
        return isComplete(method, question.path("params")) ? null : "it cannot be asked in this form";
    }

    private static boolean isLink(ObjectNode question) {
        return question.path("method").asString("").equals(ELICIT)
                && question.at("/params/mode").asString("").equals(LINK);
    }

    /** Returns whether a client can read it. */
    private static boolean isComplete(String method, JsonNode params) {
        return switch (method) {
            case ELICIT ->
                params.path("message").isString()
                        && switch (params.path("mode").asString("form")) {
                            case "form" ->
                                params.at("/requestedSchema/properties").isObject();
                            case LINK -> host(params).isPresent();
                            default -> false;
                        };
            case "sampling/createMessage" ->
                params.path("messages").isArray() && params.path("maxTokens").isNumber() && !params.has("tools");
            default -> true;
        };
    }

    /** Returns the host that a link leads to; empty if it is no page of the web, or if its address hides where it leads. */
    private static Optional<String> host(JsonNode params) {
        var url = params.path(LINK).asString("");
        try {
            var uri = new URI(url);
            var isPage = "https".equals(uri.getScheme())
                    && uri.getUserInfo() == null
                    && PLAIN.matcher(url).matches();
            return isPage
                    ? Optional.ofNullable(uri.getHost()).filter(host -> host.length() <= LONGEST_HOST)
                    : Optional.empty();
        } catch (URISyntaxException _) {
            return Optional.empty();
        }
    }

    /** Returns the addresses of pages that a server wants opened before it answers (its error -32042). */
    static List<String> links(@Nullable JsonNode data) {
        return data == null
                ? List.of()
                : data.path("elicitations")
                        .valueStream()
                        .limit(MOST_LINKS)
                        .filter(link -> host(link).isPresent())
                        .map(link -> link.path(LINK).asString(""))
                        .toList();
    }

    /** Returns the question with its origin: its texts are those of the server, not of the engine. */
    private static ObjectNode marked(String upstream, ObjectNode question) {
        var method = question.path("method").asString("");
        var params = question.path("params");
        var copy = Json.object();
        var fields = isLink(question) ? LINK_FIELDS : FIELDS.getOrDefault(method, List.of());
        fields.stream()
                .filter(params::has)
                .forEach(field -> copy.set(field, params.get(field).deepCopy()));
        if (method.equals(ELICIT)) {
            var where = isLink(question) ? " you to open " + host(params).orElse("a page") : "";
            copy.put("message", "The server '%s' asks%s: %s".formatted(upstream, where, plain(params.path("message"))));
            if (isLink(question)
                    && !LINK_IDS.matcher(copy.path(LINK_ID).asString("")).matches()) {
                copy.put(LINK_ID, UUID.randomUUID().toString()); // Required until the revision 2026-07-28.
            }
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
