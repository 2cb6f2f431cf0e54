package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A JSON-RPC 2.0 request or notification.
 *
 * @param id a string or an integer, or null for a notification, which is never answered
 */
record Message(@Nullable JsonNode id, String method, ObjectNode params) {
    /** @throws Problem {@code malformed_json} when it is no JSON, {@code bad_request} when it is no JSON-RPC message */
    static Message read(byte[] utf8) {
        var json = Json.read(utf8);
        if (json.isMissingNode()) {
            throw Problem.malformed("the body is empty; send one JSON-RPC 2.0 object");
        }
        if (json.isArray()) {
            throw invalid("batches are not supported; send one JSON-RPC 2.0 object in each request");
        }
        if (!(json instanceof ObjectNode object)) {
            throw invalid("the body must be one JSON-RPC 2.0 object");
        }
        return new Message(id(object), method(object), params(object));
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
        if (method == null && (object.has("result") || object.has("error"))) {
            throw invalid("nothing here waits for a response; send a request with a method");
        }
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

    private static Problem invalid(String note) {
        return new Problem(Failure.BAD_REQUEST, note);
    }

    boolean isNotification() {
        return id == null;
    }

    ObjectNode answer(ObjectNode result) {
        var response = Json.object().put("jsonrpc", "2.0");
        response.set("id", id);
        response.set("result", result);
        return response;
    }
}
