package io.agentworkspace.engine.model.refusal;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The form of a refusal at the MCP endpoint: a JSON-RPC 2.0 error response. */
public final class JsonRpcRefusal {
    static final int PARSE_ERROR = -32700;
    public static final int INVALID_REQUEST = -32600;
    public static final int METHOD_NOT_FOUND = -32601;
    public static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;

    private JsonRpcRefusal() {}

    /** The code of a request that was refused before its method was known. */
    public static int code(Failure failure) {
        return switch (failure) {
            case MALFORMED_JSON -> PARSE_ERROR;
            case RATE_LIMITED ->
                failure.code(); // Outside the ranges that JSON-RPC and MCP reserve: docs/decisions/rate-limits.md.
            case INTERNAL, UNAVAILABLE -> INTERNAL_ERROR;
            default -> INVALID_REQUEST;
        };
    }

    /** The data that we add to an error. */
    public static ObjectNode data(Problem problem, String requestId) {
        return Json.object()
                .put("error", problem.failure().error())
                .put("internal_code", problem.failure().code())
                .put("note", problem.note())
                .put("request_id", requestId);
    }

    /** Without an id if none could be read, as MCP requires. */
    public static ObjectNode of(@Nullable JsonNode id, int code, String message, ObjectNode data) {
        var response = Json.object().put("jsonrpc", "2.0");
        if (id != null) {
            response.set("id", id);
        }
        response.putObject("error").put("code", code).put("message", message).set("data", data);
        return response;
    }
}
