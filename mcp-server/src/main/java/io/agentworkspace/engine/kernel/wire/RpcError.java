package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.refusal.JsonRpcRefusal;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Caller;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A protocol failure: the message is valid, but the request cannot be carried out. */
public final class RpcError extends RuntimeException {
    private static final int SESSION_NOT_FOUND = -32001;
    private static final int RESOURCE_NOT_FOUND = -32002;
    private static final int HEADER_MISMATCH = -32020;
    private static final int MISSING_CAPABILITY = -32021;
    private static final int UNSUPPORTED_VERSION = -32022;

    private final int code;
    private final int status;
    private final transient ObjectNode data;
    private final @Nullable Cause cause;
    private final List<String> scopes;

    private RpcError(int code, int status, Problem problem, ObjectNode data) {
        this(code, status, problem, data, List.of());
    }

    private RpcError(int code, int status, Problem problem, ObjectNode data, List<String> scopes) {
        super(problem.note(), null, false, false);
        this.code = code;
        this.status = status;
        this.cause = problem.cause().orElse(null);
        this.data = data;
        this.scopes = List.copyOf(scopes);
    }

    /** Returns the error of a method that found this problem. {@link JsonRpcRefusal#code} is for requests without a known method. */
    public static RpcError of(Problem problem, String requestId) {
        return JsonRpcRefusal.isOfRequest(problem.failure())
                ? invalidParams(problem, requestId)
                : internal(problem, requestId);
    }

    /** Returns the error for an access token that lacks only a scope. */
    public static RpcError insufficientScope(Capability scope, String note, Caller caller, String requestId) {
        var problem = Problem.notPermitted(note);
        var scopes = new ArrayList<>(caller.capabilities());
        scopes.add(scope.word());
        var data = JsonRpcRefusal.data(problem, requestId);
        scopes.forEach(data.putArray("scopes")::add);
        return new RpcError(JsonRpcRefusal.INVALID_REQUEST, HttpStatus.FORBIDDEN_403, problem, data, scopes);
    }

    public static RpcError unknownMethod(String method, Collection<String> methods, String requestId) {
        var near = Near.nearest(method, methods, 2);
        var note = near.isEmpty()
                ? "there is no method '%s' here; there are %s".formatted(excerpt(method), String.join(", ", methods))
                : "there is no method '%s' here; did you mean %s?"
                        .formatted(excerpt(method), String.join(" or ", near));
        var problem = new Problem(Failure.UNKNOWN_SERVICE, note).because(Cause.METHOD);
        return new RpcError(
                JsonRpcRefusal.METHOD_NOT_FOUND,
                HttpStatus.NOT_FOUND_404,
                problem,
                JsonRpcRefusal.data(problem, requestId));
    }

    public static RpcError invalidParams(Problem problem, String requestId) {
        return invalidParams(problem, JsonRpcRefusal.data(problem, requestId));
    }

    public static RpcError invalidParams(Problem problem, ObjectNode data) {
        return new RpcError(JsonRpcRefusal.INVALID_PARAMS, HttpStatus.OK_200, problem, data);
    }

    /** Returns the error for a request that lacks a field which its revision requires. */
    public static RpcError incomplete(Problem problem, String requestId) {
        return new RpcError(
                JsonRpcRefusal.INVALID_PARAMS,
                HttpStatus.BAD_REQUEST_400,
                problem,
                JsonRpcRefusal.data(problem, requestId));
    }

    public static RpcError invalidRequest(Problem problem, String requestId) {
        return new RpcError(
                JsonRpcRefusal.INVALID_REQUEST,
                HttpStatus.BAD_REQUEST_400,
                problem,
                JsonRpcRefusal.data(problem, requestId));
    }

    /** Returns an error that the request did not cause. */
    public static RpcError internal(Problem problem, String requestId) {
        var failure = problem.failure();
        return new RpcError(
                JsonRpcRefusal.code(failure), failure.httpStatus(), problem, JsonRpcRefusal.data(problem, requestId));
    }

    public static RpcError headerMismatch(String note, String requestId) {
        var problem = new Problem(Failure.BAD_REQUEST, note).because(Cause.HEADERS);
        return new RpcError(
                HEADER_MISMATCH, HttpStatus.BAD_REQUEST_400, problem, JsonRpcRefusal.data(problem, requestId));
    }

    public static RpcError unsupportedVersion(String requested, List<String> supported) {
        var data = Json.object().put("requested", excerpt(requested));
        supported.forEach(data.putArray("supported")::add);
        var note = "the protocol version '%s' is not supported; there are %s"
                .formatted(excerpt(requested), String.join(", ", supported));
        var problem = new Problem(Failure.BAD_REQUEST, note).because(Cause.VERSION);
        return new RpcError(UNSUPPORTED_VERSION, HttpStatus.BAD_REQUEST_400, problem, data);
    }

    public static RpcError missingAbilities(Collection<ClientInfo.Ability> missing) {
        var data = Json.object();
        var required = data.putObject("requiredCapabilities");
        missing.forEach(ability -> required.putObject(ability.word()));
        var words =
                String.join(", ", missing.stream().map(ClientInfo.Ability::word).toList());
        return missing("this needs a client that declares the capability " + words, data);
    }

    public static RpcError missingExtension(String identifier) {
        var data = Json.object();
        data.putObject("requiredCapabilities").putObject("extensions").putObject(identifier);
        return missing("this needs a client that declares the extension " + identifier, data);
    }

    private static RpcError missing(String note, ObjectNode data) {
        return new RpcError(
                MISSING_CAPABILITY, HttpStatus.BAD_REQUEST_400, new Problem(Failure.BAD_REQUEST, note), data);
    }

    public static RpcError resourceNotFound(String uri, ProtocolRevision revision, String requestId) {
        var note = "no resource '%s' that you may see".formatted(excerpt(uri));
        var problem = new Problem(Failure.NOT_FOUND, note);
        var data = JsonRpcRefusal.data(problem, requestId).put("uri", uri);
        var code = revision.isStateless() ? JsonRpcRefusal.INVALID_PARAMS : RESOURCE_NOT_FOUND;
        return new RpcError(code, HttpStatus.OK_200, problem, data);
    }

    public static RpcError sessionNotFound(String requestId) {
        var problem = new Problem(
                        Failure.NOT_FOUND,
                        "this session is unknown, ended or expired; send initialize to begin a new one")
                .because(Cause.SESSION);
        return new RpcError(
                SESSION_NOT_FOUND, HttpStatus.NOT_FOUND_404, problem, JsonRpcRefusal.data(problem, requestId));
    }

    private static String excerpt(String text) {
        return Excerpt.of(text, 2 * Name.MAX);
    }

    /** Returns all scopes that the client's next access token needs; empty for other errors. */
    public List<String> scopes() {
        return scopes;
    }

    /** Returns the cause of the refusal, if code distinguishes it. */
    public Optional<Cause> cause() {
        return Optional.ofNullable(cause);
    }

    public int code() {
        return code;
    }

    /** Returns the HTTP status, for revisions in which errors have one. */
    public int status() {
        return status;
    }

    public ObjectNode json(@Nullable JsonNode id) {
        return JsonRpcRefusal.of(id, code, Objects.requireNonNull(getMessage()), data);
    }
}
