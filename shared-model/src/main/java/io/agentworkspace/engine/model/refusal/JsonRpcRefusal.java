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

    /** Returns the code for a request that was refused before its method was known. */
    public static int code(Failure failure) {
        return switch (failure) {
            case MALFORMED_JSON -> PARSE_ERROR;
            case RATE_LIMITED ->
                failure.code(); // Outside the ranges reserved by JSON-RPC and MCP: docs/dev/decisions/requests.md.
            case INTERNAL, UNAVAILABLE -> INTERNAL_ERROR;
            case UNKNOWN_SERVICE,
                    MISSING_FIELD,
                    INVALID_FIELD,
                    TOO_LARGE,
                    NO_CONTEXT,
                    UNAUTHENTICATED,
                    NOT_PERMITTED,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    CONFLICT,
                    RULE_REFUSED,
                    IDEMPOTENCY_MISMATCH,
                    QUOTA_EXCEEDED,
                    BAD_REQUEST,
                    METHOD_NOT_ALLOWED,
                    UNSUPPORTED_MEDIA_TYPE -> INVALID_REQUEST;
        };
    }

    /** Returns whether the request itself was wrong, rather than the engine unable to carry it out at present. */
    public static boolean isOfRequest(Failure failure) {
        var code = code(failure);
        return code == INVALID_REQUEST || code == PARSE_ERROR;
    }

    /** Returns the {@code data} of an error response. */
    public static ObjectNode data(Problem problem, String requestId) {
        return Json.object()
                .put("error", problem.failure().error())
                .put("internal_code", problem.failure().code())
                .put("note", problem.note())
                .put("request_id", requestId);
    }

    /** Returns an error response. It has no id if none could be read, as MCP requires. */
    public static ObjectNode of(@Nullable JsonNode id, int code, String message, ObjectNode data) {
        var response = Json.object().put("jsonrpc", "2.0");
        if (id != null) {
            response.set("id", id);
        }
        response.putObject("error").put("code", code).put("message", message).set("data", data);
        return response;
    }
}
