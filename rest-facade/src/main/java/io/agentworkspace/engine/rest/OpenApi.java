package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.rest.openapi.ComponentSchemas;
import io.agentworkspace.engine.rest.openapi.Components;
import io.agentworkspace.engine.rest.openapi.InlineSchemas;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The OpenAPI 3.1 document, generated from the catalogue and the list of routes: every route and nothing else. */
final class OpenApi {
    private static final String ABOUT = """
            Manages AI agents and their workspaces: one JSON request for each call, selected by the name of a service. \
            Command routes answer with the envelope (header, status, and the command's own fields) under one of the \
            statuses 200, 400, 401, 429, 500; the precise reason is status.internal_code. All other routes refuse with \
            application/problem+json (RFC 9457). Every answer carries X-Request-Id. The same tools are offered over MCP \
            at %s/mcp.""";

    private static final String EVENT_ID = "7c9f1e1a-8a55-4b7e-9d3f-0c1d2e3f4a5b";
    private static final String SECONDS = "1779710400";

    private final ObjectNode paths = Json.object();
    private final ComponentSchemas schemas = new ComponentSchemas();
    private final EnumSet<Tag> tags = EnumSet.noneOf(Tag.class);

    private OpenApi() {}

    /** @param routes the routes that are not tools' */
    static ObjectNode document(Catalogue catalogue, PublicAddresses published, List<GatewayRoute> routes) {
        var document = new OpenApi();
        routes.forEach(document::add);
        new ToolOperations(document).add(catalogue.tools());
        return document.assembled(published);
    }

    private void add(GatewayRoute route) {
        if (route.operation() != null) {
            add(route.method(), route.path(), route.operation().get());
        }
    }

    ComponentSchemas schemas() {
        return schemas;
    }

    void add(String method, String path, Operation operation) {
        var item = paths.get(path) instanceof ObjectNode present ? present : paths.putObject(path);
        item.set(method.toLowerCase(Locale.ROOT), operation.json());
        schemas.add(operation);
        tags.add(operation.tag());
    }

    private ObjectNode assembled(PublicAddresses published) {
        var document = Json.object().put("openapi", "3.1.0");
        document.set("info", info(published));
        document.putArray("servers").addObject().put("url", published.baseUrl()).put("description", "This service.");
        var listed = document.putArray("tags");
        tags.stream()
                .sorted(Comparator.comparing(Tag::title, String.CASE_INSENSITIVE_ORDER))
                .forEach(tag -> listed.addObject().put("name", tag.title()).put("description", tag.sentence()));
        var security = document.putArray("security");
        Operation.CREDENTIALS.forEach(name -> security.addObject().putArray(name));
        document.set("paths", paths);
        if (tags.contains(Tag.WEBHOOKS)) {
            document.set("webhooks", webhooks());
        }
        document.set("components", Components.json());
        InlineSchemas.into(document, schemas.json());
        return document;
    }

    private static ObjectNode info(PublicAddresses published) {
        var info = Json.object()
                .put("title", "Agent Workspace Engine")
                .put("version", Envelope.CONTRACT_VERSION)
                .put("description", ABOUT.formatted(published.mcpUrl()));
        info.putObject("contact").put("name", "Whoever runs this service").put("url", published.baseUrl());
        info.putObject("license").put("name", "Apache 2.0").put("url", "https://www.apache.org/licenses/LICENSE-2.0");
        return info;
    }

    /** Returns the events that are sent to customers' endpoints, as operations that these serve. */
    private ObjectNode webhooks() {
        var webhooks = Json.object();
        for (var type : EventType.values()) {
            webhooks.putObject(type.word()).set("post", event(type).json());
        }
        return webhooks;
    }

    private Operation event(EventType type) {
        var name = Stream.of(type.word().split("\\."))
                .map(part -> Character.toUpperCase(part.charAt(0)) + part.substring(1))
                .collect(Collectors.joining());
        var example = Json.object()
                .put("id", EVENT_ID)
                .put("type", type.word())
                .put("created_at", "2026-05-25T12:00:00.000Z");
        example.set("data", type.example());
        return new Operation(
                        "on" + name,
                        Tag.WEBHOOKS,
                        type.word(),
                        type.description() + " Sent to every endpoint that subscribes to it, at least once.")
                .securedBy()
                .header("X-Service-Signature", "t=<unix seconds>,v1=<hex of HMAC-SHA256 over t.body>.", SECONDS)
                .header("X-Service-Sequence", "Grows by one with each delivery to this endpoint.", "7")
                .header("webhook-id", "The event's id, the same on every attempt (Standard Webhooks).", EVENT_ID)
                .header("webhook-timestamp", "When this attempt was made, in Unix seconds.", SECONDS)
                .header("webhook-signature", "v1,<base64> (Standard Webhooks).", SECONDS)
                .body(true, schemas.event(name, type), example)
                .expects(200, "Any 2xx within 15 s: received.")
                .expects(400, "The signature does not fit. Like any other answer, it is retried.")
                .expects(410, "Gone: the endpoint is disabled at once.");
    }
}
