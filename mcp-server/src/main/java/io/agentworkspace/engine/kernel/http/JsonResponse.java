package io.agentworkspace.engine.kernel.http;

import io.agentworkspace.engine.model.json.Json;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.JsonNode;

/** A complete JSON response. */
public record JsonResponse(int status, String mediaType, JsonNode body) {
    public static final String JSON = "application/json";

    public void send(Response response, Callback callback) {
        var bytes = Json.buffer(body);
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.remaining());
        response.write(true, bytes, callback);
    }
}
