package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ToolCall;
import io.agentworkspace.engine.mcp.source.ToolSource;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** The tools of the conformance scenarios. */
final class FixtureTools implements ToolSource {
    private record Fixture(ObjectNode description, Function<Call, MethodResult> work) {}

    record Call(ObjectNode arguments, McpRequest turn) {}

    private final Map<String, Fixture> tools = new LinkedHashMap<>();

    FixtureTools() {
        contents();
        talkative();
        new FixtureQuestions().addTo(this);
        add(
                "test_header_param",
                "Mirrors an argument in a header.",
                """
                {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}, "required": ["region"]}
                """,
                call -> MethodResult.text(
                        "region " + call.arguments().path("region").asString("")));
        add("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                 "$defs": {"address": {"$anchor": "addressDef", "type": "object",
                                       "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
                 "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
                                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                                "phone": {"type": "string"}, "email": {"type": "string"}},
                 "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
                 "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
                 "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false}
                """, _ -> MethodResult.text("done"));
    }

    private void contents() {
        add("test_simple_text", "One text.", _ -> MethodResult.text("This is a simple text response for testing."));
        add("test_image_content", "One image.", _ -> content(Fixtures.image()));
        add("test_audio_content", "One sound.", _ -> content(Fixtures.sound()));
        add(
                "test_embedded_resource",
                "One resource.",
                _ -> content(Fixtures.resource(
                        "test://embedded-resource", "text/plain", "This is an embedded resource content.")));
        add(
                "test_multiple_content_types",
                "A text, an image and a resource.",
                _ -> content(
                        Fixtures.text("Multiple content types test:"),
                        Fixtures.image(),
                        Fixtures.resource(
                                "test://mixed-content-resource",
                                "application/json",
                                "{\"test\":\"data\",\"value\":123}")));
        add("test_error_handling", "Always fails.", _ -> {
            var failed = (MethodResult.Done) MethodResult.text("This tool intentionally returns an error for testing");
            failed.result().put("isError", true);
            return failed;
        });
    }

    private void talkative() {
        add("test_tool_with_logging", "Logs while it works.", call -> {
            for (var said : List.of("Tool execution started", "Tool processing data", "Tool execution completed")) {
                call.turn().log("info", "fixture", said);
                Fixtures.pause(50);
            }
            return MethodResult.text("Logged three messages.");
        });
        add("test_logging_tool", "Logs once.", call -> {
            call.turn().log("info", "fixture", "a message");
            return MethodResult.text("Logged a message.");
        });
        add("test_tool_with_progress", "Tells how far it is.", call -> {
            for (var done : List.of(0, 50, 100)) {
                call.turn().progress(done, 100.0, null);
                Fixtures.pause(50);
            }
            return MethodResult.text("Done.");
        });
        add("test_defect", "Says that it begins, and breaks.", call -> {
            call.turn().log("info", "fixture", "begun");
            throw new IllegalStateException("the defect of a fixture");
        });
        add("test_slow", "Takes a minute.", call -> {
            call.turn().log("info", "fixture", "begun");
            Fixtures.work(60_000);
            return MethodResult.text("Done at last.");
        });
        for (var list : List.of(SubscribedChange.TOOLS, SubscribedChange.PROMPTS)) {
            var name = "test_trigger_%s_change".formatted(list.substring(0, list.length() - 1));
            add(name, "Says that a list changed.", call -> {
                Fixtures.change(new SubscribedChange(call.turn().caller().tenant(), list, List.of()));
                return MethodResult.text("Told.");
            });
        }
    }

    void add(String name, String description, Function<Call, MethodResult> work) {
        add(name, description, "{\"type\": \"object\", \"properties\": {}}", work);
    }

    void add(String name, String description, String schema, Function<Call, MethodResult> work) {
        var tool = Json.object().put("name", name).put("description", description);
        tool.set("inputSchema", Json.readObject(schema.getBytes(StandardCharsets.UTF_8)));
        tools.put(name, new Fixture(tool, work));
    }

    private static MethodResult content(ObjectNode... blocks) {
        var result = Json.object();
        var content = result.putArray("content");
        List.of(blocks).forEach(content::add);
        return MethodResult.done(result);
    }

    @Override
    public List<ObjectNode> list(McpRequest turn) {
        return tools.values().stream().map(Fixture::description).toList();
    }

    @Override
    public Optional<ObjectNode> find(String name, McpRequest turn) {
        return Optional.ofNullable(tools.get(name)).map(Fixture::description);
    }

    @Override
    public Optional<ToolCall> call(String name, ObjectNode arguments, McpRequest turn) {
        return Optional.ofNullable(tools.get(name))
                .map(tool -> () -> tool.work().apply(new Call(arguments, turn)));
    }
}
