package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.ProblemDocument;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What goes back over the wire, always as one whole array of bytes: a writer that fails half-way would look whole. */
final class RestResponse {
    static final String REPLAYED = "Idempotency-Replayed";

    private RestResponse() {}

    static Response json(int status, JsonNode body) {
        return bytes(status, MediaType.APPLICATION_JSON, body, null).build();
    }

    /** A response that changes rarely: with an ETag, so that it is not sent again to a client that has it. */
    static Response tagged(JsonNode body) {
        var bytes = Json.bytes(body);
        var tag = '"' + Sha256.hex(bytes).substring(0, 32) + '"';
        var response = RestExchange.current().has(tag)
                ? Response.notModified()
                : bytes(200, MediaType.APPLICATION_JSON, bytes, null);
        return response.header(HttpHeaders.ETAG, tag)
                .header(HttpHeaders.CACHE_CONTROL, "no-cache")
                .header(HttpHeaders.VARY, "X-Api-Key, Authorization, Cookie")
                .build();
    }

    /** The envelope under the status that stands in it. */
    static Response envelope(Answer answer) {
        return envelope(answer, 200);
    }

    static Response envelope(Answer answer, int successStatus) {
        var status = answer.success() ? successStatus : answer.status();
        if (answer.envelope().get("status") instanceof ObjectNode told) {
            told.put("http_code", status);
        }
        var response = bytes(status, MediaType.APPLICATION_JSON, answer.envelope(), answer.problem());
        return answer.replayed() ? response.header(REPLAYED, "true").build() : response.build();
    }

    /** RFC 9457. */
    static Response.ResponseBuilder problem(Problem problem, String requestId) {
        var status = problem.failure().httpStatus();
        return bytes(status, ProblemDocument.MEDIA_TYPE, ProblemDocument.of(problem, requestId), problem);
    }

    /** A refusal as a page. */
    static Response.ResponseBuilder page(Problem problem, byte[] html) {
        return bytes(problem.failure().httpStatus(), "text/html; charset=utf-8", html, problem);
    }

    /** The envelope of a command request that was refused before it got to the runner. */
    static Response.ResponseBuilder refused(@Nullable String service, Problem refusal, Clock clock) {
        var problem = asCommand(refusal);
        var envelope = Envelope.failure(service, RestExchange.current().requestId(), clock.instant(), problem);
        return bytes(problem.failure().commandStatus(), MediaType.APPLICATION_JSON, envelope, problem);
    }

    /** What a failure of the HTTP layer is called on command routes, which know only the failures of commands. */
    private static Problem asCommand(Problem problem) {
        return switch (problem.failure()) {
            case METHOD_NOT_ALLOWED, NOT_FOUND -> new Problem(Failure.UNKNOWN_SERVICE, problem.note());
            case UNSUPPORTED_MEDIA_TYPE -> Problem.malformed(problem.note());
            case BAD_REQUEST -> new Problem(Failure.INVALID_FIELD, problem.note());
            default -> problem;
        };
    }

    private static Response.ResponseBuilder bytes(
            int status, String mediaType, JsonNode body, @Nullable Problem problem) {
        return bytes(status, mediaType, Json.bytes(body), problem);
    }

    private static Response.ResponseBuilder bytes(
            int status, String mediaType, byte[] entity, @Nullable Problem problem) {
        var response = Response.status(status)
                .type(mediaType)
                .entity(entity)
                .header(HttpHeaders.CONTENT_LENGTH, entity.length);
        var retryAfter = problem == null ? null : problem.retryAfter();
        return retryAfter == null
                ? response
                : response.header(
                        HttpHeaders.RETRY_AFTER,
                        Math.max(1, retryAfter.plusMillis(999).toSeconds()));
    }
}
