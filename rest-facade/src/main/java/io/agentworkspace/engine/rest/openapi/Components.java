package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.answer.KeptAnswer;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.refusal.ProblemDocument;
import io.agentworkspace.engine.model.refusal.RateFields;
import io.agentworkspace.engine.model.refusal.RenderedRefusal;
import io.agentworkspace.engine.model.tool.Envelope;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The parts of the OpenAPI document that its operations refer to. */
public final class Components {
    private static final String REQUEST_ID = "00000000000000000000000000000001";

    /** The statuses of refusals on command routes. */
    private static final List<Integer> COMMAND_STATUSES = List.of(400, 401, 429, 500);

    private Components() {}

    public static ObjectNode json() {
        var components = Json.object();
        components.set("responses", responses());
        components.set("parameters", parameters());
        components.set("headers", headers());
        components.set("securitySchemes", securitySchemes());
        return components;
    }

    private static ObjectNode responses() {
        var responses = Json.object();
        COMMAND_STATUSES.forEach(status -> responses.set("Command" + status, refusal(status)));
        Arrays.stream(Failure.values())
                .filter(failure -> failure != Failure.METHOD_NOT_ALLOWED) // No operation returns this failure.
                .map(Failure::httpStatus)
                .distinct()
                .sorted()
                .forEach(status -> responses.set("Problem" + status, problem(status)));
        return responses;
    }

    private static ObjectNode refusal(int status) {
        var response = response(status, named(failure -> failure.commandStatus() == status && !isOfHttpOnly(failure)));
        var content = response.putObject("content").putObject(MediaType.APPLICATION_JSON);
        content.set("schema", SchemaNames.schema("Refusal"));
        content.set("example", envelope(status));
        return response;
    }

    /**
     * Returns the envelope of a refusal with this status. A 500 cannot be recorded from a real request, so it is
     * built here.
     */
    static JsonNode envelope(int status) {
        return status == 500
                ? Envelope.failure(
                        "AP_Create", REQUEST_ID, Instant.parse("2026-01-01T00:00:00Z"), Problem.internal(REQUEST_ID))
                : KeptAnswer.ofRefusal("command-" + status);
    }

    /** Returns the problem document of a refusal with this status. */
    private static JsonNode problemDocument(int status) {
        return switch (status) {
            case 500 -> ProblemDocument.of(Problem.internal(REQUEST_ID), REQUEST_ID, "");
            case 503 -> ProblemDocument.of(Problem.unavailable(), REQUEST_ID, "");
            default -> KeptAnswer.ofRefusal("problem-" + status);
        };
    }

    /** Returns the JSON-RPC error of a refusal with this status. */
    public static JsonNode rpcError(int status) {
        if (status != 500) {
            return KeptAnswer.ofRefusal("rpc-" + status);
        }
        var problem = Problem.internal(REQUEST_ID);
        return RenderedRefusal.rpc(null, REQUEST_ID, problem, List.of()).body();
    }

    private static ObjectNode problem(int status) {
        var response = response(status, named(failure -> failure.httpStatus() == status));
        problem(response.putObject("content"), status);
        return response;
    }

    /** Adds the problem document to the content of a response. */
    static void problem(ObjectNode content, int status) {
        var document = content.putObject(ProblemDocument.MEDIA_TYPE);
        document.set("schema", SchemaNames.schema("Problem"));
        document.set("example", problemDocument(status));
    }

    private static ObjectNode response(int status, String description) {
        var response = Json.object().put("description", description);
        var headers = response.putObject("headers");
        everywhere(headers);
        if (status == 429 || status >= 500) {
            headers.putObject("Retry-After").put("$ref", "#/components/headers/RetryAfter");
        }
        return response;
    }

    /** Adds the headers that every response has. */
    static void everywhere(ObjectNode headers) {
        headers.putObject("X-Request-Id").put("$ref", "#/components/headers/RequestId");
        headers.putObject(RateFields.POLICY).put("$ref", "#/components/headers/RateLimitPolicy");
        headers.putObject(RateFields.CURRENT).put("$ref", "#/components/headers/RateLimit");
    }

    /** Returns what a status can mean: "not_found (3001), unknown_service (1002)". */
    private static String named(Predicate<Failure> included) {
        return Arrays.stream(Failure.values())
                .filter(included)
                .map(failure -> "%s (%d)".formatted(failure.error(), failure.code()))
                .collect(Collectors.joining(", "));
    }

    private static boolean isOfHttpOnly(Failure failure) {
        return switch (failure) {
            case BAD_REQUEST, METHOD_NOT_ALLOWED, UNSUPPORTED_MEDIA_TYPE -> true;
            default -> false;
        };
    }

    private static ObjectNode parameters() {
        var parameters = Json.object();
        parameters
                .putObject("IdempotencyKey")
                .put("name", "Idempotency-Key")
                .put("in", "header")
                .put("required", false)
                .put(
                        "description",
                        "Your own token for this request, kept 24 h: sent again with the same request it replays the"
                                + " stored answer.")
                .put("example", "order-1789")
                .putObject("schema")
                .put("type", "string")
                .put("maxLength", 255);
        return parameters;
    }

    private static ObjectNode headers() {
        var headers = Json.object();
        header(
                headers,
                "RequestId",
                "Names this request in logs; your own X-Request-Id if it was a plain token.",
                REQUEST_ID);
        header(
                headers,
                "RetryAfter",
                "In so many seconds trying again makes sense; absent on quota_exceeded where time makes no room.",
                1);
        header(
                headers,
                "RateLimitPolicy",
                "What limits the request (draft-ietf-httpapi-ratelimit-headers-11): \"default\" is the rate of the credential,"
                        + " \"commands\" the plan's quota of tool calls each UTC day; after something was created also its"
                        + " scope, such as \"agents\". q is how many are allowed, w the window in seconds. Absent where nothing"
                        + " is limited.",
                "\"default\";q=400;w=2, \"commands\";q=10000;w=86400");
        header(
                headers,
                "RateLimit",
                "How many of each policy of RateLimit-Policy are left (r), and in how many seconds all of them are there again"
                        + " (t). header.limits says the same.",
                "\"default\";r=399;t=0, \"commands\";r=9958;t=3600");
        header(
                headers,
                "IdempotencyReplayed",
                "true when this is the stored answer of an earlier request; else absent.",
                "true");
        header(
                headers,
                "SessionCookie",
                "The session's cookie: Secure, HttpOnly, SameSite=Lax, for this host only.",
                "__Host-engine_session=…; Path=/; Secure; HttpOnly; SameSite=Lax");
        header(
                headers,
                "SignInCookie",
                "Binds the sign-in to the browser, for 10 minutes.",
                "__Host-engine_signin=…; Path=/; Secure; HttpOnly; SameSite=Lax");
        header(headers, "Location", "Where the browser goes.", "/mcp-hub");
        header(headers, "ETag", "Names this version: send it in If-None-Match.", "\"0197f1d0c5a87d2e\"");
        return headers;
    }

    private static void header(ObjectNode headers, String name, String description, Object example) {
        headers.putObject(name)
                .put("description", description)
                .set("example", Json.valueTree(example))
                .putObject("schema")
                .put("type", example instanceof Integer ? "integer" : "string");
    }

    private static ObjectNode securitySchemes() {
        var schemes = Json.object();
        schemes.putObject("ApiKey")
                .put("type", "apiKey")
                .put("in", "header")
                .put("name", "X-Api-Key")
                .put(
                        "description",
                        "One dedicated, revocable key for each app or environment; never in a query string.");
        schemes.putObject("Bearer")
                .put("type", "http")
                .put("scheme", "bearer")
                .put("description", "The same key, or an access token of POST /api/auth/token.");
        schemes.putObject("Session")
                .put("type", "apiKey")
                .put("in", "cookie")
                .put("name", "__Host-engine_session")
                .put(
                        "description",
                        "The cookie of a signed-in browser. Requests that change something also need X-CSRF-Token, and must come"
                                + " from a page of this server.");
        return schemes;
    }
}
