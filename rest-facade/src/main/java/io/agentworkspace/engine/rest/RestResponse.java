package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.refusal.RenderedRefusal;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Answer;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A response, always sent as one complete byte array: if a writer failed halfway, a partial response would look
 * complete.
 */
final class RestResponse {
    static final String REPLAYED = "Idempotency-Replayed";

    private RestResponse() {}

    static Response json(int status, JsonNode body) {
        return bytes(status, MediaType.APPLICATION_JSON, body, null).build();
    }

    /**
     * Returns a response that rarely changes. It has an ETag, so that a client that has it does not receive it again.
     */
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

    /** Returns the envelope, with its own HTTP status. */
    static Response envelope(Answer answer) {
        return envelope(answer, 200);
    }

    static Response envelope(Answer answer, int successStatus) {
        var status = answer.success() ? successStatus : answer.status();
        if (answer.envelope().get("status") instanceof ObjectNode object) {
            object.put("http_code", status);
        }
        var response = bytes(status, MediaType.APPLICATION_JSON, answer.envelope(), answer.problem());
        return answer.replayed() ? response.header(REPLAYED, "true").build() : response.build();
    }

    /** Returns a refusal in the given style. */
    static Response.ResponseBuilder refused(RenderedRefusal rendered, Problem problem) {
        return bytes(rendered.status(), rendered.mediaType(), rendered.body(), problem);
    }

    /** Returns a refusal as a page. */
    static Response.ResponseBuilder page(Problem problem, byte[] html) {
        return bytes(problem.failure().httpStatus(), "text/html; charset=utf-8", html, problem);
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
        if (problem != null) {
            problem.retryAfterSeconds().ifPresent(seconds -> response.header(HttpHeaders.RETRY_AFTER, seconds));
        }
        return response;
    }
}
