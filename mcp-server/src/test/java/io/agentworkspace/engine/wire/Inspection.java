package io.agentworkspace.engine.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Validates the messages of one exchange: a request body, and the responses to it.
 *
 * @param book of the revision in force
 * @param body the request body, or a missing node
 * @param strict whether the sender meant the body to be valid
 */
record Inspection(Rulebook book, JsonNode body, boolean strict) {
    /** Methods of extensions, which the schemas do not define. Their results are only checked to be results. */
    private static final List<String> EXTENSIONS = List.of(
            "skills/list",
            "skills/get",
            "resources/directory/read",
            "tasks/get",
            "tasks/update",
            "tasks/cancel",
            "tasks/result",
            "tasks/list");

    /** The notification of an extension. */
    private static final String TASK = "notifications/tasks";

    /** The methods of the questions to sessions, by id. */
    private static final Map<JsonNode, String> QUESTIONS = new ConcurrentHashMap<>();

    /** Returns what is wrong with a complete JSON response. */
    List<String> answer(JsonNode answer) {
        if (!answer.isArray()) {
            return response(answer);
        }
        if (!book.is(Rulebook.MARCH_2025) || !body.isArray() || answer.isEmpty()) {
            return List.of("an array, which only answers a batch of 2025-03-26");
        }
        return answer.valueStream()
                .flatMap(response -> response(response).stream())
                .toList();
    }

    /** Returns what is wrong with one message of a stream. */
    List<String> streamed(JsonNode message) {
        if (!message.has("method")) {
            return response(message);
        }
        var method = message.path("method").asString("");
        if (message.has("id") && book.is(Rulebook.MODERN)) {
            return List.of("a request on a stream, which 2026-07-28 does not allow");
        }
        if (message.has("id")) {
            QUESTIONS.put(message.get("id"), method);
        }
        if (method.equals(TASK)) {
            return book.wrongs("JSONRPCNotification", message);
        }
        return book.message(method)
                .map(definition -> book.wrongs(definition, message))
                .orElse(List.of("a message that the revision has not: " + method));
    }

    /** Returns what is wrong with a body that needs no response: a notification, or the response to a question. */
    List<String> accepted() {
        if (!strict || !body.isObject()) {
            return List.of();
        }
        if (!body.has("result")) {
            return posted(body.has("error") ? errorForm(body) : "JSONRPCNotification", body);
        }
        var wrongs = new ArrayList<>(book.wrongs(resultForm(), body));
        var question = QUESTIONS.remove(body.get("id"));
        if (question != null) {
            wrongs.addAll(book.wrongs(book.result(question).orElseThrow(), body.get("result")));
        }
        return wrongs;
    }

    private List<String> posted(String otherwise, JsonNode message) {
        var method = message.path("method").asString("");
        return book.wrongs(book.message(method).orElse(otherwise), message);
    }

    /** Returns whether a body is a request, which has exactly one response. */
    private static boolean isRequest(JsonNode body) {
        var id = body.path("id");
        var params = body.path("params");
        return body.path("jsonrpc").stringValue("").equals("2.0")
                && (id.isString() || id.isIntegralNumber())
                && !body.path("method").stringValue("").isBlank()
                && (params.isMissingNode() || params.isNull() || params.isObject());
    }

    /**
     * Returns the responses that are missing at the end of the exchange, or that came twice.
     *
     * @param ids the ids of the responses, missing where one had none
     * @param excused whether a request needs no response, since its client has cancelled it
     */
    List<String> owed(List<JsonNode> ids, Predicate<JsonNode> excused) {
        if (body.isArray() && ids.equals(List.of(MissingNode.getInstance()))) {
            return List.of(); // The whole batch was refused.
        }
        var requests = body.isArray()
                ? body.valueStream().filter(Inspection::isRequest).toList()
                : isRequest(body) ? List.of(body) : List.<JsonNode>of();
        var owed = requests.stream().filter(request -> !excused.test(request)).count();
        return ids.size() < owed || ids.size() > Math.max(1, strict ? requests.size() : body.size())
                ? List.of("%d responses to %d requests".formatted(ids.size(), requests.size()))
                : List.of();
    }

    private List<String> response(JsonNode response) {
        if (response.has("result") == response.has("error")) {
            return List.of("a response has either a result or an error");
        }
        var request = request(response.path("id"));
        if (response.has("id") && request.isMissingNode()) {
            return List.of("a response to nothing that was asked");
        }
        return response.has("error") ? error(response) : result(response, request);
    }

    private JsonNode request(JsonNode id) {
        return (body.isArray() ? body.valueStream() : Stream.of(body))
                .filter(request -> request.path("id").equals(id))
                .findFirst()
                .orElse(MissingNode.getInstance());
    }

    private List<String> error(JsonNode response) {
        if (!response.has("id") && isRequest(body)) {
            return List.of("an error without the id of its request");
        }
        // All transports allow "a JSON-RPC error response that has no id"; the schemas
        // before 2025-11-25 do not define it.
        var rules = response.has("id") || book.has("JSONRPCErrorResponse") ? book : Rulebook.of(Rulebook.NOVEMBER_2025);
        var code = response.at("/error/code").asInt(0);
        return rules.wrongs(rules.error(code).orElse(errorForm(response)), response);
    }

    private String errorForm(JsonNode response) {
        return book.has("JSONRPCErrorResponse") || !response.has("id") ? "JSONRPCErrorResponse" : "JSONRPCError";
    }

    private String resultForm() {
        return book.has("JSONRPCResultResponse") ? "JSONRPCResultResponse" : "JSONRPCResponse";
    }

    private List<String> result(JsonNode response, JsonNode request) {
        var wrongs = new ArrayList<>(book.wrongs(resultForm(), response));
        var method = request.path("method").asString("");
        var result = response.get("result");
        if (EXTENSIONS.contains(method)) {
            wrongs.addAll(book.wrongs("Result", result));
        } else if (book.result(method).isEmpty()) {
            wrongs.add("a result for a method that the revision has not: " + method);
        } else {
            wrongs.addAll(book.wrongs(kind(result, method), result));
        }
        if (strict) {
            wrongs.addAll(posted("JSONRPCRequest", request));
        }
        return wrongs;
    }

    private String kind(JsonNode result, String method) {
        return switch (result.path("resultType").asString("complete")) {
            case "complete" -> book.result(method).orElseThrow();
            case "input_required" -> "InputRequiredResult";
            case "task" -> method.equals("tools/call") ? "Result" : "task for " + method;
            case String other -> "result of type " + other;
        };
    }
}
