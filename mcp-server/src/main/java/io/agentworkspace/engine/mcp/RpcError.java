package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.http.Refusals;
import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Near;
import io.agentworkspace.engine.model.Problem;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A protocol failure: the request was understood as a message, but cannot be carried out. */
final class RpcError extends RuntimeException {
    private static final int METHOD_NOT_FOUND = -32601;
    private static final int INVALID_PARAMS = -32602;

    private final int code;
    private final transient ObjectNode data;

    private RpcError(int code, String message, ObjectNode data) {
        super(message, null, false, false);
        this.code = code;
        this.data = data;
    }

    static RpcError unknownMethod(String method, List<String> known, String requestId) {
        var near = Near.nearest(method, known, 2);
        var shown = method.length() > Name.MAX ? method.substring(0, Name.MAX) + "…" : method;
        var note = near.isEmpty()
                ? "there is no method '%s' here; there are %s".formatted(shown, String.join(", ", known))
                : "there is no method '%s' here; did you mean %s?".formatted(shown, String.join(" or ", near));
        var problem = new Problem(Failure.UNKNOWN_SERVICE, note);
        return new RpcError(METHOD_NOT_FOUND, note, Refusals.data(problem, requestId));
    }

    static RpcError invalidParams(Problem problem, String requestId) {
        return invalidParams(problem, Refusals.data(problem, requestId));
    }

    static RpcError invalidParams(Problem problem, ObjectNode data) {
        return new RpcError(INVALID_PARAMS, problem.note(), data);
    }

    ObjectNode json(@Nullable JsonNode id) {
        return Refusals.rpcError(id, code, Objects.requireNonNull(getMessage()), data);
    }
}
