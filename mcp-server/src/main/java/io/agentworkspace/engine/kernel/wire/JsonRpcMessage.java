package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A JSON-RPC 2.0 message: a request, a notification, or a response to a question of the server.
 *
 * @param id a string or an integer, or null for a notification, which never gets a response
 * @param method empty for a response
 * @param params of a response: the whole object
 */
public record JsonRpcMessage(@Nullable JsonNode id, String method, ObjectNode params) {
    /** The field for data that belongs to the message and not to the method. */
    public static final String META = "_meta";

    /** Returns the protocol's own key with this name in a {@code _meta} object. */
    public static String meta(String name) {
        return "io.modelcontextprotocol/" + name;
    }

    /**
     * Parses a body: an object, or the array of a batch.
     *
     * @throws Problem {@code malformed_json}
     */
    public static JsonNode body(byte[] utf8) {
        var json = Json.read(utf8);
        if (json.isMissingNode()) {
            throw Problem.malformed("the body is empty; send one JSON-RPC 2.0 object");
        }
        return json;
    }

    /** @throws Problem {@code bad_request} if it is not a JSON-RPC message */
    public static JsonRpcMessage of(JsonNode json) {
        if (!(json instanceof ObjectNode object)) {
            throw invalid("the body must be one JSON-RPC 2.0 object");
        }
        var id = id(object);
        if (!object.has("method") && (object.has("result") || object.has("error"))) {
            return new JsonRpcMessage(id, "", object);
        }
        return new JsonRpcMessage(id, method(object), params(object));
    }

    /** Returns the id of what may not be a message; null if it has none that can be returned. */
    public static @Nullable JsonNode findId(JsonNode json) {
        var id = json.get("id");
        return id != null && (id.isString() || id.isIntegralNumber()) ? id : null;
    }

    /** Returns the id of a request, as far as it can be read in a body that may be wrong or too large. */
    public static Optional<JsonNode> requestId(byte[] utf8) {
        try {
            var json = body(utf8);
            return json.has("method") || !json.has("result") && !json.has("error")
                    ? Optional.ofNullable(findId(json))
                    : Optional.empty();
        } catch (Problem unreadable) {
            return unreadable.failure() == Failure.TOO_LARGE
                    ? Json.scalar(utf8, "id").filter(id -> id.isString() || id.isIntegralNumber())
                    : Optional.empty();
        }
    }

    private static @Nullable JsonNode id(ObjectNode object) {
        var version = object.get("jsonrpc");
        if (version == null || !version.isString() || !version.asString().equals("2.0")) {
            throw invalid("jsonrpc must be the string \"2.0\"");
        }
        var id = object.get("id");
        if (id != null && !id.isString() && !id.isIntegralNumber()) {
            throw invalid("id must be a string or an integer; leave it out for a notification, which is not answered");
        }
        return id;
    }

    private static String method(ObjectNode object) {
        var method = object.get("method");
        if (method == null || !method.isString() || method.asString().isBlank()) {
            throw invalid("method must be a string, for example \"tools/list\"");
        }
        return method.asString();
    }

    private static ObjectNode params(ObjectNode object) {
        var params = object.get("params");
        if (params == null || params.isNull()) {
            return Json.object();
        }
        if (params instanceof ObjectNode fields) {
            return fields;
        }
        throw invalid("params must be an object; it may be empty or left out");
    }

    public static Problem invalid(String note) {
        return new Problem(Failure.BAD_REQUEST, note).because(Cause.MESSAGE);
    }

    public boolean isResponse() {
        return method.isEmpty();
    }

    public boolean isNotification() {
        return id == null;
    }

    /** Returns the {@code _meta} of the params; empty if missing. */
    public ObjectNode meta() {
        return params.get(META) instanceof ObjectNode meta ? meta : Json.object();
    }

    public ObjectNode answer(ObjectNode result) {
        var response = Json.object().put("jsonrpc", "2.0");
        response.set("id", id);
        response.set("result", result);
        return response;
    }

    public static ObjectNode notification(String method, ObjectNode params) {
        var notification = Json.object().put("jsonrpc", "2.0").put("method", method);
        notification.set("params", params);
        return notification;
    }
}
