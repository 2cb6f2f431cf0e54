package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import jakarta.ws.rs.core.MediaType;
import tools.jackson.databind.node.ObjectNode;

/** The events sent to customers' endpoints, as the section {@code webhooks} of the OpenAPI document. */
public final class WebhookOperations {
    private static final String TIME = "2026-05-25T12:00:00.000Z";
    private static final String ID = "7c9f1e1a-8a55-4b7e-9d3f-0c1d2e3f4a5b";

    private WebhookOperations() {}

    public static ObjectNode of(ComponentSchemas schemas) {
        var webhooks = Json.object();
        for (var type : EventType.values()) {
            webhooks.putObject(type.word()).set("post", operation(type, schemas));
        }
        return webhooks;
    }

    private static ObjectNode operation(EventType type, ComponentSchemas schemas) {
        var operation = Json.object();
        operation.putArray("tags").add(Tag.WEBHOOKS.title());
        operation
                .put("operationId", "on" + name(type))
                .put("summary", type.word())
                .put(
                        "description",
                        type.description() + " Sent to every endpoint that subscribes to it, at least once.");
        operation.putArray("security");
        var parameters = operation.putArray("parameters");
        header(parameters.addObject(), "X-Service-Signature", "t=<unix seconds>,v1=<hex of HMAC-SHA256 over t.body>.");
        header(parameters.addObject(), "X-Service-Sequence", "Grows by one with each delivery to this endpoint.");
        header(parameters.addObject(), "webhook-id", "The event's id, the same on every attempt (Standard Webhooks).");
        header(parameters.addObject(), "webhook-timestamp", "When this attempt was made, in Unix seconds.");
        header(parameters.addObject(), "webhook-signature", "v1,<base64> (Standard Webhooks).");
        var content = operation
                .putObject("requestBody")
                .put("required", true)
                .putObject("content")
                .putObject(MediaType.APPLICATION_JSON);
        content.set("schema", schemas.event(name(type), type));
        content.set("example", event(type));
        var responses = operation.putObject("responses");
        responses.putObject("200").put("description", "Any 2xx within 15 s: received.");
        responses
                .putObject("400")
                .put("description", "The signature does not fit. Like any other answer, it is retried.");
        responses.putObject("410").put("description", "Gone: the endpoint is disabled at once.");
        return operation;
    }

    private static void header(ObjectNode parameter, String name, String description) {
        parameter.put("name", name).put("in", "header").put("required", true).put("description", description);
        parameter.putObject("schema").put("type", "string");
        parameter.put("example", name.equals("webhook-id") ? ID : name.contains("Sequence") ? "7" : "1779710400");
    }

    private static ObjectNode event(EventType type) {
        var event = Json.object().put("id", ID).put("type", type.word()).put("created_at", TIME);
        return event.set("data", type.example());
    }

    /**
     * Returns the name of an event type's schema: {@code AgentDeploymentCreated} for
     * {@code agent.deployment.created}.
     */
    private static String name(EventType type) {
        var name = new StringBuilder();
        for (var part : type.word().split("\\.")) {
            name.append(Character.toUpperCase(part.charAt(0))).append(part.substring(1));
        }
        return name.toString();
    }
}
