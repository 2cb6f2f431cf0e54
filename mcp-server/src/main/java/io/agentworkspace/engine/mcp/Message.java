package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A JSON-RPC 2.0 message: a request, a notification, or the response to a question of ours.
 *
 * @param id a string or an integer, or null for a notification, which is never answered
 * @param method empty for a response
 * @param params of a response: the whole object
 */
record Message(@Nullable JsonNode id, String method, ObjectNode params) {
    /** Where clients and servers put what belongs to the message and not to the method. */
    static final String META = "_meta";

    /** The key of the protocol's own entry of this name in a {@code _meta} object. */
    static String meta(String name) {
        return "io.modelcontextprotocol/" + name;
    }

    /**
     * The JSON value in a body: an object, or an array of a batch.
     *
     * @throws Problem {@code malformed_json}
     */
    static JsonNode body(byte[] utf8) {
        var json = Json.read(utf8);
        if (json.isMissingNode()) {
            throw Problem.malformed("the body is empty; send one JSON-RPC 2.0 object");
        }
        return json;
    }

    /** @throws Problem {@code bad_request} when it is no JSON-RPC message */
    static Message of(JsonNode json) {
        if (!(json instanceof ObjectNode object)) {
            throw invalid("the body must be one JSON-RPC 2.0 object");
        }
        var id = id(object);
        if (!object.has("method") && (object.has("result") || object.has("error"))) {
            return new Message(id, "", object);
        }
        return new Message(id, method(object), params(object));
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
        if (params instanceof ObjectNode given) {
            return given;
        }
        throw invalid("params must be an object; it may be empty or left out");
    }

    static Problem invalid(String note) {
        return new Problem(Failure.BAD_REQUEST, note);
    }

    boolean isResponse() {
        return method.isEmpty();
    }

    boolean isNotification() {
        return id == null;
    }

    /** The {@code _meta} of the params; empty where there is none. */
    ObjectNode meta() {
        return params.get(META) instanceof ObjectNode meta ? meta : Json.object();
    }

    ObjectNode answer(ObjectNode result) {
        var response = Json.object().put("jsonrpc", "2.0");
        response.set("id", id);
        response.set("result", result);
        return response;
    }

    static ObjectNode notification(String method, ObjectNode params) {
        var notification = Json.object().put("jsonrpc", "2.0").put("method", method);
        notification.set("params", params);
        return notification;
    }
}
