package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** The demo: three agents who handle an incident, for admins to start, pause, replay and remove. */
final class DemoRoutes {
    private static final String DEMO = "/api/demo";

    private static final int SECONDS = 90;
    private static final int LEAST = 5;
    private static final int MOST = 600;
    private static final List<String> ACTIONS = List.of("start", "pause", "resume", "replay");

    private final DemoControl demo;

    DemoRoutes(DemoControl demo) {
        this.demo = demo;
    }

    List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.get(DEMO, _ -> read(), DemoRoutes::reading),
                GatewayRoute.post(DEMO, this::change, DemoRoutes::changing),
                GatewayRoute.delete(DEMO, _ -> remove(), DemoRoutes::removing));
    }

    private Response read() {
        return RestResponse.json(200, demo.state(admin()));
    }

    private Response change(ContainerRequestContext context) {
        var caller = admin();
        var body = JsonBody.optional(context);
        for (var field : body.propertyNames()) {
            if (!field.equals("action") && !field.equals("seconds")) {
                throw Problem.invalid(
                        QuotedText.shortened(field), "is no field of this route; it takes action and seconds");
            }
        }
        return RestResponse.json(200, changed(caller, body));
    }

    private ObjectNode changed(Caller caller, ObjectNode body) {
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
                        "action", "is '%s'; it can be %s".formatted(QuotedText.shortened(action), String.join(", ", ACTIONS)));
        };
    }

    private Response remove() {
        demo.remove(admin());
        return RestResponse.json(200, Json.object().put("state", "none"));
    }

    private static Caller admin() {
        var caller = RestExchange.current().identified();
        if (!caller.role().isAtLeast(Role.ADMIN)) {
            throw Problem.notPermitted("the demo is for admins; your role is '%s', and an admin can change that with US_Update"
                    .formatted(caller.role().word()));
        }
        return caller;
    }

    private static ObjectNode schema() {
        var state = Json.object().put("type", "object");
        var fields = state.putObject("properties");
        var states = fields.putObject("state").put("type", "string").putArray("enum");
        List.of("none", "running", "paused", "waiting", "finished").forEach(states::add);
        fields.putObject("step").put("type", "integer");
        fields.putObject("steps").put("type", "integer");
        fields.putObject("domain").put("type", "string");
        fields.putObject("zone").put("type", "string");
        fields.putObject("question").put("type", "string");
        fields.putObject("answers").put("type", "array").putObject("items").put("type", "string");
        fields.putObject("answer").put("type", "string");
        state.putArray("required").add("state");
        return state;
    }

    private static ObjectNode example() {
        return Json.object()
                .put("state", "running")
                .put("step", 3)
                .put("steps", 25)
                .put("domain", "Checkout incident")
                .put("zone", "main");
    }

    private static Operation reading() {
        return operation("demoRead", "Read how the demo is", "Whether there is one, how far it is, and what it asks you.")
                .answers(200, "How it is.", schema(), example())
                .problems(400, 401, 403, 429, 500, 503);
    }

    private static Operation changing() {
        var body = Json.object().put("type", "object");
        var fields = body.putObject("properties");
        var words = fields.putObject("action").put("type", "string").put("default", "start").putArray("enum");
        ACTIONS.forEach(words::add);
        fields.putObject("seconds")
                .put("type", "integer")
                .put("minimum", LEAST)
                .put("maximum", MOST)
                .put("default", SECONDS)
                .put("description", "How long it takes, without the wait for your answer; when it is started.");
        return operation(
                        "demoChange",
                        "Start, pause, resume or replay the demo",
                        "Three agents with keys of their own handle an incident in two zones, over MCP. They ask you how to go"
                                + " on: say it in the zone with AP_Chat.")
                .body(false, body, Json.object().put("action", "start"))
                .answers(200, "How it is now.", schema(), example())
                .problems(400, 401, 403, 409, 413, 415, 422, 429, 500, 503);
    }

    private static Operation removing() {
        return operation("demoRemove", "Remove the demo", "Its agents, their keys, its domain and its banks.")
                .answers(200, "It is gone.", schema(), Json.object().put("state", "none"))
                .problems(400, 401, 403, 429, 500, 503);
    }

    private static Operation operation(String id, String summary, String description) {
        return new Operation(id, Tag.GATEWAY, summary, description + " For admins.");
    }
}
