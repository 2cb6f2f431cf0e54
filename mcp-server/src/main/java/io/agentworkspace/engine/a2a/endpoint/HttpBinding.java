package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.endpoint.Operations.Reply;
import io.agentworkspace.engine.a2a.tasks.AgentCall;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.kernel.http.BodyReader;
import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.node.ObjectNode;

/** The binding HTTP+JSON (specification, section 11): an address and a method for each operation. */
final class HttpBinding {
    private static final String TYPE = "application/a2a+json";

    private final Operations operations;
    private final EngineOperations engine;

    HttpBinding(Operations operations, EngineOperations engine) {
        this.operations = operations;
        this.engine = engine;
    }

    void serve(
            Request request,
            Response response,
            Callback callback,
            A2aAddress address,
            AgentCall call,
            PlaceFinder places) {
        try {
            var operation = address.operation(request.getMethod())
                    .orElseThrow(() -> new Problem(
                            Failure.METHOD_NOT_ALLOWED, "no operation of A2A has this method at this address"));
            RequestContext.of(request::getAttribute).ran("A2A " + operation.method());
            Bodies.checkVersion(request);
            var place = places.find();
            var params = params(request);
            operation.parameters().forEach(params::put);
            var reply = new Reply(
                    result -> send(request, response, callback, HttpStatus.OK_200, result),
                    patience -> EventStream.after(request, response, callback, patience),
                    UnaryOperator.identity());
            if (place == null) {
                engine.run(operation.method(), Fields.of(params), call, reply);
            } else {
                operations.run(operation.method(), Fields.of(params), call, place, reply);
            }
        } catch (A2aError refused) {
            refuse(request, response, callback, refused);
        } catch (Problem refused) {
            refuse(request, response, callback, A2aError.of(refused));
        }
    }

    /** Returns the parameters of the body, or of the query where there is no body. */
    private static ObjectNode params(Request request) {
        if (request.getMethod().equals("POST")) {
            var body = BodyReader.read(request);
            if (body.length > 0) {
                Bodies.checkType(request, TYPE, JsonResponse.JSON);
                return Json.readObject(body);
            }
        }
        var params = Json.object();
        Request.extractQueryParameters(request).forEach(field -> params.put(field.getName(), field.getValue()));
        return params;
    }

    /** The response has the type of the request: some clients know only plain JSON. */
    private static void send(Request request, Response response, Callback callback, int status, ObjectNode body) {
        var sent = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        var isPlain = sent != null && sent.toLowerCase(Locale.ROOT).startsWith(JsonResponse.JSON);
        new JsonResponse(status, isPlain ? JsonResponse.JSON : TYPE, body).send(response, callback);
    }

    static void refuse(Request request, Response response, Callback callback, A2aError refused) {
        Bodies.retryAfter(refused).ifPresent(seconds -> response.getHeaders().put(HttpHeader.RETRY_AFTER, seconds));
        send(request, response, callback, refused.status(), refused.http());
    }
}
