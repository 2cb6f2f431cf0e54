package io.agentworkspace.engine.a2a.wire;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A refusal in the terms of A2A (specification, sections 5.4, 9.5 and 11.6). */
public final class A2aError extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final String TYPE = "type.googleapis.com/google.rpc.";
    private static final Set<Failure> INVALID = Set.of(
            Failure.MISSING_FIELD,
            Failure.INVALID_FIELD,
            Failure.TOO_LARGE,
            Failure.NO_CONTEXT,
            Failure.BAD_REQUEST,
            Failure.IDEMPOTENCY_MISMATCH);

    /** The kinds of refusal, with the code of JSON-RPC, the HTTP status and the word of {@code google.rpc.Code}. */
    public enum Kind {
        PARSE(-32700, 400, "INVALID_ARGUMENT"),
        INVALID_REQUEST(-32600, 400, "INVALID_ARGUMENT"),
        METHOD_NOT_FOUND(-32601, 404, "NOT_FOUND"),
        INVALID_PARAMS(-32602, 400, "INVALID_ARGUMENT"),
        INTERNAL(-32603, 500, "INTERNAL"),
        TASK_NOT_FOUND(-32001, 404, "NOT_FOUND"),
        TASK_NOT_CANCELABLE(-32002, 400, "FAILED_PRECONDITION"),
        PUSH_NOTIFICATION_NOT_SUPPORTED(-32003, 400, "FAILED_PRECONDITION"),
        UNSUPPORTED_OPERATION(-32004, 400, "FAILED_PRECONDITION"),
        CONTENT_TYPE_NOT_SUPPORTED(-32005, 400, "INVALID_ARGUMENT"),
        VERSION_NOT_SUPPORTED(-32009, 400, "FAILED_PRECONDITION"),
        /** The engine refused it: its status and its reason say why. */
        REFUSED(-32000, 0, "");

        private final int code;
        private final int status;
        private final String word;

        Kind(int code, int status, String word) {
            this.code = code;
            this.status = status;
            this.word = word;
        }
    }

    private final Kind kind;
    private final String note;
    private final @Nullable String field;
    private final transient @Nullable Problem cause;

    private A2aError(Kind kind, String note, @Nullable String field, @Nullable Problem cause) {
        super(note);
        this.kind = kind;
        this.note = note;
        this.field = field;
        this.cause = cause;
    }

    public static A2aError of(Kind kind, String note) {
        return new A2aError(kind, note, null, null);
    }

    /** Refuses a field of the request. */
    public static A2aError invalid(String field, String rule) {
        return new A2aError(Kind.INVALID_PARAMS, field + " " + rule, field, null);
    }

    public static A2aError noTask(String id) {
        return of(Kind.TASK_NOT_FOUND, "there is no task '%s' of yours at this agent".formatted(cut(id)));
    }

    public static A2aError noPush() {
        return of(
                Kind.PUSH_NOTIFICATION_NOT_SUPPORTED,
                "the engine itself has no tasks to notify of: its agents have, and their cards say so");
    }

    private static String cut(String text) {
        return text.length() <= 64 ? text : text.substring(0, 64) + "…";
    }

    /** Returns what a refusal by a tool is here. */
    public static A2aError of(Problem problem) {
        var kind = INVALID.contains(problem.failure())
                ? Kind.INVALID_PARAMS
                : problem.failure() == Failure.MALFORMED_JSON
                        ? Kind.PARSE
                        : problem.failure() == Failure.INTERNAL ? Kind.INTERNAL : Kind.REFUSED;
        return new A2aError(kind, problem.note(), null, problem);
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the tool's refusal; null if the request did not reach a tool. */
    public @Nullable Problem problem() {
        return cause;
    }

    public int status() {
        return kind == Kind.REFUSED && cause != null ? cause.failure().httpStatus() : kind.status;
    }

    /** Returns the error of JSON-RPC. */
    public ObjectNode rpc() {
        var error = Json.object().put("code", kind.code).put("message", note);
        error.set("data", details());
        return error;
    }

    /** Returns the body of a refusal over HTTP+JSON. */
    public ObjectNode http() {
        var body = Json.object();
        body.putObject("error")
                .put("code", status())
                .put("status", word())
                .put("message", note)
                .set("details", details());
        return body;
    }

    private String word() {
        return kind != Kind.REFUSED
                ? kind.word
                : switch (status()) {
                    case 401 -> "UNAUTHENTICATED";
                    case 403 -> "PERMISSION_DENIED";
                    case 404 -> "NOT_FOUND";
                    case 405 -> "UNIMPLEMENTED";
                    case 409 -> "FAILED_PRECONDITION";
                    case 429 -> "RESOURCE_EXHAUSTED";
                    default -> "UNAVAILABLE";
                };
    }

    private ArrayNode details() {
        var details = Json.array();
        if (kind == Kind.INVALID_PARAMS) {
            details.addObject()
                    .put("@type", TYPE + "BadRequest")
                    .putArray("fieldViolations")
                    .addObject()
                    .put("field", field == null ? "" : field)
                    .put("description", note);
        } else {
            var reason = kind == Kind.REFUSED && cause != null
                    ? cause.failure().error().toUpperCase(Locale.ROOT)
                    : kind.name();
            details.addObject()
                    .put("@type", TYPE + "ErrorInfo")
                    .put("reason", reason)
                    .put("domain", kind == Kind.REFUSED ? "agent-workspace-engine" : "a2a-protocol.org");
        }
        return details;
    }
}
