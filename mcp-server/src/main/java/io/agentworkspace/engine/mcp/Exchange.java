package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.http.JsonReply;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Incoming;
import java.util.Objects;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** One HTTP request at the door, with the answer that it gets. */
record Exchange(Request request, Response response, Callback callback) {
    Caller caller() {
        return (Caller) attribute(Incoming.CALLER);
    }

    String requestId() {
        return (String) attribute(Incoming.REQUEST_ID);
    }

    private Object attribute(String name) {
        return Objects.requireNonNull(request.getAttribute(name), name);
    }

    @Nullable
    String idempotencyKey() {
        return request.getHeaders().get("Idempotency-Key");
    }

    /** For the request log. */
    void ran(String service) {
        request.setAttribute(Incoming.SERVICE, service);
    }

    void markReplayed() {
        response.getHeaders().put("Idempotency-Replayed", "true");
    }

    void reply(ObjectNode message) {
        new JsonReply(HttpStatus.OK_200, JsonReply.JSON, message).send(response, callback);
    }

    /** Takes a message that has no answer. */
    void accept() {
        response.setStatus(HttpStatus.ACCEPTED_202);
        callback.succeeded();
    }
}
