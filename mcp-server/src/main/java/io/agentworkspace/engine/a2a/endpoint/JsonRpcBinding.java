package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.endpoint.Operations.Reply;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.A2aError.Kind;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.kernel.http.BodyReader;
import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The binding JSON-RPC 2.0 (specification, section 9): one request in a body; batches are not taken. */
final class JsonRpcBinding {
    private final Operations operations;
    private final EngineOperations engine;

    JsonRpcBinding(Operations operations, EngineOperations engine) {
        this.operations = operations;
        this.engine = engine;
    }

    void serve(Request request, Response response, Callback callback, AgentCall call, PlaceFinder places) {
        var context = RequestContext.of(request::getAttribute);
        context.foundJsonRpc();
        try {
            Bodies.checkType(request, JsonResponse.JSON);
            Bodies.checkVersion(request);
            var message = message(BodyReader.read(request));
            var answered = message.id();
            context.answers(answered);
            context.ran(Operations.has(message.method()) ? "A2A " + message.method() : "A2A");
            var reply = new Reply(
                    result -> send(response, callback, result(answered, result)),
                    patience -> EventStream.after(request, response, callback, patience),
                    event -> result(answered, event));
            var params = Fields.of(message.params());
            var place = places.find();
            if (place == null) {
                engine.run(message.method(), params, call, reply);
            } else {
                operations.run(message.method(), params, call, place, reply);
            }
        } catch (A2aError refused) {
            refuse(response, callback, context.messageId(), refused);
        } catch (Problem refused) {
            refuse(response, callback, context.messageId(), A2aError.of(refused));
        }
    }

    private static JsonRpcMessage message(byte[] body) {
        JsonNode json = JsonRpcMessage.body(body);
        try {
            var message = JsonRpcMessage.of(json);
            if (message.isResponse() || message.isNotification()) {
                throw A2aError.of(Kind.INVALID_REQUEST, "the body must be a request: with method and id");
            }
            return message;
        } catch (Problem invalid) {
            throw A2aError.of(Kind.INVALID_REQUEST, invalid.note());
        }
    }

    private static ObjectNode result(@Nullable JsonNode id, ObjectNode result) {
        var answer = Json.object().put("jsonrpc", "2.0");
        answer.set("id", id);
        answer.set("result", result);
        return answer;
    }

    private static void send(Response response, Callback callback, ObjectNode body) {
        new JsonResponse(HttpStatus.OK_200, JsonResponse.JSON, body).send(response, callback);
    }

    private static void refuse(Response response, Callback callback, @Nullable JsonNode id, A2aError refused) {
        Bodies.retryAfter(refused).ifPresent(seconds -> response.getHeaders().put(HttpHeader.RETRY_AFTER, seconds));
        var answer = Json.object().put("jsonrpc", "2.0");
        answer.set("id", id);
        answer.set("error", refused.rpc());
        send(response, callback, answer);
    }
}
