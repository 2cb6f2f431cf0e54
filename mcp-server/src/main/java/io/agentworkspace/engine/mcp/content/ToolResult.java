package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Builds the MCP result of a tool: a short status, the payload, and those fields of the header that are new to the
 * model. The whole header is in {@code _meta}.
 */
final class ToolResult {
    /** The key of the envelope's header in a result's {@code _meta}. */
    static final String HEADER = "io.agentworkspace/header";

    private static final String UNREAD = "unread";
    private static final String CONTEXT = "context";

    private static final List<String> ENVELOPE = List.of("header", "status");

    private ToolResult() {}

    /** Returns the result of a call that did not reach a tool of the catalogue. */
    static ObjectNode refused(Answer answer) {
        return of(answer, body(answer, false));
    }

    /** Returns the result of a plan, whose values are shown as they are. */
    static ObjectNode whole(Answer answer) {
        var body = body(answer, false);
        answer.envelope().properties().stream()
                .filter(field -> !ENVELOPE.contains(field.getKey()))
                .forEach(field -> body.set(field.getKey(), field.getValue()));
        return of(answer, body);
    }

    static ObjectNode of(Answer answer, Tool<?, ?> tool, ObjectNode arguments) {
        if (tool.foreign() != null && answer.envelope().get("result") instanceof ObjectNode object) {
            return foreign(object.deepCopy(), answer);
        }
        var body = body(answer, answer.moved() || tool.guide().tellsContext());
        var shortener = tool.guide().shortener();
        if (shortener != null && answer.success() && !answer.replayed()) {
            shortener.accept(body, arguments);
        }
        return of(answer, body);
    }

    /** Returns what another server answered, as it is. */
    private static ObjectNode foreign(ObjectNode result, Answer answer) {
        var meta =
                result.get(JsonRpcMessage.META) instanceof ObjectNode own ? own : result.putObject(JsonRpcMessage.META);
        meta.set(HEADER, answer.envelope().get("header"));
        return result;
    }

    private static ObjectNode of(Answer answer, ObjectNode body) {
        var result = Json.object();
        var text = Json.text(body);
        result.putArray("content").addObject().put("type", "text").put("text", text);
        result.set("structuredContent", Json.written(text));
        result.putObject(JsonRpcMessage.META).set(HEADER, answer.envelope().get("header"));
        return answer.success() ? result : result.put("isError", true);
    }

    /** Builds the body that the model reads. The context of a payload replaces that of the header; the two are equal. */
    private static ObjectNode body(Answer answer, boolean tellsContext) {
        var envelope = answer.envelope();
        var header = envelope.path("header");
        var status = (ObjectNode) envelope.get("status").deepCopy();
        status.remove(answer.success() ? List.of("internal_code", "http_code") : List.of("http_code"));
        var body = Json.object();
        body.set("status", status);
        if (header.path(UNREAD).asLong() > 0) {
            body.put(UNREAD, header.get(UNREAD).asLong());
        }
        if (tellsContext && header.has(CONTEXT)) {
            body.set(CONTEXT, header.get(CONTEXT));
        }
        envelope.properties().stream()
                .filter(field -> !ENVELOPE.contains(field.getKey()))
                .forEach(field -> body.set(field.getKey(), trimmed(field.getValue())));
        return body;
    }

    /** Removes empty lists, and {@code updated_at} where it equals {@code created_at}. */
    private static JsonNode trimmed(JsonNode value) {
        if (value instanceof ObjectNode record) {
            var trimmed = Json.object();
            record.properties().stream()
                    .filter(field -> !isEmptyList(field.getValue()) && !isFirst(field, record))
                    .forEach(field -> trimmed.set(field.getKey(), trimmed(field.getValue())));
            return trimmed;
        } else if (value instanceof ArrayNode list) {
            var trimmed = JsonNodeFactory.instance.arrayNode(list.size());
            list.forEach(element -> trimmed.add(trimmed(element)));
            return trimmed;
        }
        return value;
    }

    private static boolean isEmptyList(JsonNode value) {
        return value.isArray() && value.isEmpty();
    }

    private static boolean isFirst(Map.Entry<String, JsonNode> field, ObjectNode record) {
        return field.getKey().equals("updated_at") && field.getValue().equals(record.path("created_at"));
    }
}
