package io.agentworkspace.engine.model;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** An example response of a tool: the required fields, and those of the others that a reader would look for. */
public final class AnswerExample {
    private static final String TIME = "2026-05-25T12:00:00.000Z";

    /** The values of fields, by tool or type and field name, or by field name alone. Ignored if they are not valid. */
    // No event types: Spectral would treat one as a schema with an example.
    private static final ObjectNode WORDS = Json.readObject("""
            {"id": "0197f1d0-c5a8-7d2e-9c41-5b1a6f3e2d10", "event_id": "7c9f1e1a-8a55-4b7e-9d3f-0c1d2e3f4a5b",
             "endpoint_id": "6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11", "request_id": "0197f1d0c5a87d2e",
             "user": "maria", "owner": "maria", "tenant": "default", "role": "member", "heir": "maria",
             "agent": "scout", "selected": "scout", "host": "scout", "from": "scout", "from_kind": "agent",
             "author": "scout", "chain": [], "domain": "harbour", "zone": "main", "bank": "field-notes",
             "content": "Low water at 06:12 tomorrow.", "text": "Low water at 06:12 tomorrow.", "tags": ["tides"],
             "permission": "manage", "via": "grant", "why": "granted with MB_Permissions",
             "capabilities": ["agent:read", "agent:write"], "needed": ["agent:read"], "never_needed": ["agent:write"],
             "plan": "team", "previous_plan": "free", "scope": "agents", "limit": 250, "count": 41, "remaining": 209,
             "exceeded": [], "unread": 0, "failed": 0, "children": 0, "confirm_destructive": false, "warnings": [],
             "url": "https://example.com/hooks", "events": ["agent.deployment.created"], "state": "active",
             "event_type": "agent.deployment.created", "type": "agent.deployment.created", "group": "Deployments",
             "score": 100, "status": 200, "duration_ms": 84, "sequence": 7, "seq": 7, "next_after": 7, "latest": 7,
             "tool": "AP_Read", "credential": "key", "target_kind": "agent", "target": "scout", "door": "rest",
             "result": "done", "expected": "a refusal", "delivery": "with a wrong signature", "days": 7, "calls": 12,
             "detail": "204", "api_key": "ek_4uVt2kPq8ZxT_…", "secret": "whsec_…", "note": "Nobody is subscribed to it.",
             "description": "Watches the tide tables and warns of low water.",
             "Agent.name": "scout", "Agent.profile": "You are terse and give times in UTC.",
             "Domain.name": "harbour", "Domain.description": "Where the crew talks about the day.",
             "Bank.name": "field-notes", "Bank.description": "What was seen at the shore.",
             "Zone.name": "night-watch", "Zone.description": "What happens after dark.", "User.name": "maria",
             "Key.id": "4uVt2kPq8ZxT", "Key.name": "nightly report", "Endpoint.description": "Tells the pager.",
             "Member.state": "member", "Delivery.state": "delivered", "Memory.name": "low water",
             "US_Read.content": [], "AK_Revoke.state": "revoked", "AP_LogOff.online": false, "MB_Create.memories": 0,
             "WH_Events.events": [], "WH_Test.state": "pending", "WH_Test.attempts": [],
             "WH_Redeliver.state": "pending", "WH_Redeliver.attempts": []}
            """.getBytes(StandardCharsets.UTF_8));

    /** Optional fields that are shown anyway. */
    private static final Set<String> SHOWN = Set.of(
            "Agent.profile",
            "Domain.host",
            "Zone.description",
            "Bank.description",
            "Endpoint.description",
            "Memory.name",
            "Message.domain",
            "Message.zone",
            "Attempt.status",
            "limit",
            "remaining",
            "changed");

    private final Tool<?, ?> tool;

    private AnswerExample(Tool<?, ?> tool) {
        this.tool = tool;
    }

    public static ObjectNode of(Tool<?, ?> tool) {
        return of(tool, 200);
    }

    /** @param status the HTTP status that it comes with */
    public static ObjectNode of(Tool<?, ?> tool, int status) {
        var example = Json.object();
        var header = example.putObject("header")
                .put("service", tool.name())
                .put("request_id", "0197f1d0c5a87d2e")
                .put("contract_version", Envelope.CONTRACT_VERSION)
                .put("time", TIME);
        header.putObject("context").put("name", "default").put("user", "maria").put("self", "scout");
        header.put("unread", 0);
        example.putObject("status").put("success", true).put("internal_code", 0).put("http_code", status);
        return example.setAll(
                new AnswerExample(tool).object(Schema.of(tool.output()).typed()));
    }

    private ObjectNode object(JsonNode schema) {
        var type = schema.path("title").asString("");
        var required =
                schema.path("required").valueStream().map(JsonNode::asString).toList();
        var example = Json.object();
        for (var property : schema.path("properties").properties()) {
            var name = property.getKey();
            if (required.contains(name) || isShown(type, name)) {
                example.set(name, value(type, name, property.getValue()));
            }
        }
        return example;
    }

    /** Fields that are shown only once belong to the tool that creates them. */
    private boolean isShown(String type, String name) {
        return SHOWN.contains(name)
                || SHOWN.contains(type + "." + name)
                || (tool.toldOnce().contains(name)
                        && (tool.effect() == Effect.CREATES || tool.name().contains("Rotate")));
    }

    private JsonNode value(String type, String name, JsonNode schema) {
        var word = word(type, name, schema);
        if (word != null) {
            return word;
        }
        return switch (schema.path("type").asString()) {
            case "array" -> Json.valueTree(List.of(value(type, name, schema.path("items"))));
            case "object" -> schema.has("properties") ? object(schema) : free(name);
            case "integer" -> Json.valueTree(Math.max(1, schema.path("minimum").asLong(1)));
            case "boolean" -> Json.valueTree(true);
            default -> Json.valueTree(text(schema));
        };
    }

    private @Nullable JsonNode word(String type, String name, JsonNode schema) {
        for (var key : List.of(tool.name() + "." + name, type + "." + name, name)) {
            var word = WORDS.get(key);
            if (word != null && fits(word, schema)) {
                return word;
            }
        }
        return null;
    }

    private static boolean fits(JsonNode word, JsonNode schema) {
        if (schema.has("enum")) {
            return schema.get("enum").valueStream().anyMatch(word::equals);
        }
        return switch (schema.path("type").asString()) {
            case "string" -> word.isString() && !schema.has("format");
            case "integer" -> word.isIntegralNumber();
            case "boolean" -> word.isBoolean();
            case "array" ->
                word.isArray()
                        && (word.isEmpty()
                                || schema.at("/items/type").asString("").equals("string"));
            default -> false;
        };
    }

    private static String text(JsonNode schema) {
        return schema.has("enum") ? schema.get("enum").get(0).asString() : schema.has("format") ? TIME : "example";
    }

    /** Objects without a fixed shape: events, and what describes them. */
    private static ObjectNode free(String name) {
        var type = EventType.AGENT_DEPLOYMENT_CREATED;
        return switch (name) {
            case "schema" -> type.schema();
            case "data" -> type.example();
            case "event", "example" -> {
                var event = Json.object()
                        .put("id", WORDS.get("event_id").asString())
                        .put("type", type.word())
                        .put("created_at", TIME);
                event.set("data", type.example());
                yield event;
            }
            default -> Json.object();
        };
    }
}
