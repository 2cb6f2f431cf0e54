package io.agentworkspace.engine.app.demo;

import io.agentworkspace.engine.kernel.http.BodyReader;
import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.node.ObjectNode;

/** {@code /api/demo}: reads, starts, pauses, replays and removes the demo, for admins. */
final class DemoEndpoint extends Handler.Abstract {
    private static final int SECONDS = 90;
    private static final int LEAST = 5;
    private static final int MOST = 600;
    private static final List<String> FIELDS = List.of("action", "seconds");

    private final DemoRuns demo;

    public DemoEndpoint(DemoRuns demo) {
        this.demo = demo;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        var caller = RequestContext.of(request::getAttribute).identified();
        if (!caller.role().isAtLeast(Role.ADMIN)) {
            throw Problem.notPermitted(
                    "the demo is for admins; your role is '%s', and an admin can change that with US_Update"
                            .formatted(caller.role().word()));
        }
        checkQuery(request);
        if (!request.getMethod().equals("GET")) {
            demo.requireAll(caller);
        }
        var state = switch (request.getMethod()) {
            case "GET" -> demo.state(caller);
            case "POST" -> change(caller, body(request));
            case "DELETE" -> demo.remove(caller);
            default -> {
                response.getHeaders().put(HttpHeader.ALLOW, "GET, POST, DELETE");
                throw new Problem(Failure.METHOD_NOT_ALLOWED, "the demo takes GET, POST and DELETE");
            }
        };
        new JsonResponse(200, JsonResponse.JSON, state).send(response, callback);
        return true;
    }

    private static void checkQuery(Request request) {
        for (var name : Request.extractQueryParameters(request).getNames()) {
            throw new Problem(
                    Failure.BAD_REQUEST,
                    "'%s' is not a query parameter of this route; it takes none".formatted(Name.shortened(name)));
        }
    }

    private static ObjectNode body(Request request) {
        var bytes = BodyReader.read(request);
        var body = bytes.length == 0 ? Json.object() : Json.readObject(bytes);
        for (var field : body.propertyNames()) {
            if (!FIELDS.contains(field)) {
                throw Problem.invalid(
                        Name.shortened(field), "is no field of this route; it takes " + String.join(" and ", FIELDS));
            }
        }
        return body;
    }

    private ObjectNode change(Caller caller, ObjectNode body) {
        var action = body.path("action").asString("start");
        var seconds = body.path("seconds").asInt(SECONDS);
        if (seconds < LEAST || seconds > MOST) {
            throw Problem.invalid("seconds", "must be %d–%d".formatted(LEAST, MOST));
        }
        return switch (action) {
            case "start" -> demo.start(caller, seconds);
            case "pause" -> demo.pause(caller);
            case "resume" -> demo.resume(caller);
            case "replay" -> demo.replay(caller);
            default ->
                throw Problem.invalid(
                        "action",
                        "is '%s'; it can be start, pause, resume or replay".formatted(Name.shortened(action)));
        };
    }
}
