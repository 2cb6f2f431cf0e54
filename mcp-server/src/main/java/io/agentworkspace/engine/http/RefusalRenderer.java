package io.agentworkspace.engine.http;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.ProblemDocument;
import io.agentworkspace.engine.model.tool.RequestAttributes;
import io.agentworkspace.engine.model.tool.Route;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Renders refusals that no tool made, in the style of the requested path: the command envelope on command routes, a
 * JSON-RPC error at {@code /mcp}, a page for browsers that request one, RFC 9457 everywhere else.
 */
public final class RefusalRenderer {
    private static final int PARSE_ERROR = -32700;
    private static final int INVALID_REQUEST = -32600;
    private static final int INTERNAL_ERROR = -32603;

    private final Clock clock;
    private final @Nullable PageEndpoint pages;
    private final BiConsumer<Request, Problem> atMcp;

    public RefusalRenderer(Clock clock) {
        this(clock, null, (_, _) -> {});
    }

    /**
     * @param pages renders for people what programs get in JSON; null if there are no pages
     * @param atMcp receives each refusal of a request at the MCP endpoint, before it is written
     */
    public RefusalRenderer(Clock clock, @Nullable PageEndpoint pages, BiConsumer<Request, Problem> atMcp) {
        this.clock = clock;
        this.pages = pages;
        this.atMcp = atMcp;
    }

    /** Lets the handlers behind the gate show a refusal to a person too. */
    void hand(Request request, Response response) {
        if (pages != null && PageEndpoint.isShown(request, path(request))) {
            Function<Problem, byte[]> page = problem -> pages.refused(request, response.getHeaders(), problem);
            request.setAttribute(RequestAttributes.REFUSAL_PAGE, page);
        }
    }

    public void write(Request request, Response response, Callback callback, Problem problem) {
        var headers = response.getHeaders();
        var retryAfter = retryAfter(problem);
        if (retryAfter != null) {
            headers.put(HttpHeader.RETRY_AFTER, Math.max(1, Math.ceilDiv(retryAfter.toMillis(), 1000)));
        }
        if (Endpoints.isMcp(path(request))) {
            atMcp.accept(request, problem);
        }
        if (pages != null && PageEndpoint.isShown(request, path(request))) {
            pages.refuse(request, response, callback, problem);
            return;
        }
        var requestId = Objects.requireNonNull((String) request.getAttribute(RequestAttributes.REQUEST_ID));
        reply(request, problem, requestId).send(response, callback);
    }

    private JsonResponse reply(Request request, Problem problem, String requestId) {
        var path = path(request);
        var failure = problem.failure();
        if (path.equals(Route.COMMANDS) || path.startsWith(Route.COMMANDS + "/")) {
            var envelope = Envelope.failure(null, requestId, clock.instant(), problem);
            var answer = new Answer(envelope, problem, false).telling(limits(request));
            return new JsonResponse(failure.commandStatus(), JsonResponse.JSON, answer.envelope());
        } else if (Endpoints.isMcp(path)) {
            var id = (JsonNode) request.getAttribute(RequestAttributes.MESSAGE_ID);
            var data = data(problem, requestId);
            Envelope.tellIn(data, limits(request));
            var error = rpcError(id, rpcCode(failure), problem.note(), data);
            return new JsonResponse(failure.httpStatus(), JsonResponse.JSON, error);
        }
        var document = ProblemDocument.of(problem, requestId);
        return new JsonResponse(failure.httpStatus(), ProblemDocument.MEDIA_TYPE, document);
    }

    /** What the headers report too. */
    private static List<Allowance> limits(Request request) {
        return request.getAttribute(RequestAttributes.LIMITS) instanceof List<?> told
                ? told.stream().map(Allowance.class::cast).toList()
                : List.of();
    }

    private static String path(Request request) {
        var path = request.getHttpURI() == null ? null : request.getHttpURI().getCanonicalPath();
        return path == null ? "" : path;
    }

    private static @Nullable Duration retryAfter(Problem problem) {
        return problem.retryAfter() == null && problem.failure() == Failure.UNAVAILABLE
                ? Duration.ofSeconds(1)
                : problem.retryAfter();
    }

    /** Its code in JSON-RPC. */
    public static int rpcCode(Failure failure) {
        return switch (failure) {
            case MALFORMED_JSON -> PARSE_ERROR;
            case RATE_LIMITED ->
                failure.code(); // Outside the ranges that JSON-RPC and MCP reserve: docs/decisions/rate-limits.md.
            case INTERNAL, UNAVAILABLE -> INTERNAL_ERROR;
            default -> INVALID_REQUEST;
        };
    }

    /** A JSON-RPC 2.0 error response; without an id if none could be read, as MCP requires. */
    public static ObjectNode rpcError(@Nullable JsonNode id, int code, String message, ObjectNode data) {
        var response = Json.object().put("jsonrpc", "2.0");
        if (id != null) {
            response.set("id", id);
        }
        response.putObject("error").put("code", code).put("message", message).set("data", data);
        return response;
    }

    /** The data that we add to a JSON-RPC error. */
    public static ObjectNode data(Problem problem, String requestId) {
        return Json.object()
                .put("error", problem.failure().error())
                .put("internal_code", problem.failure().code())
                .put("note", problem.note())
                .put("request_id", requestId);
    }
}
