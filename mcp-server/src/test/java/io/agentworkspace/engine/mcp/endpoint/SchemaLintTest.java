package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.wire.SendsAnything;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Every schema that leaves the engine, as the strictest clients want it: none refers to another. */
class SchemaLintTest {
    /** What clients put before a tool's name, which then has at most 64 characters: the longest is that of our plugin. */
    private static final List<String> PREFIXES = List.of(
            "mcp__plugin_workspace_aw__",
            "mcp__agent-workspace__",
            "mcp__agent_workspace__",
            "mcp_agent-workspace_",
            "mcp__aw__");

    private static final int LONGEST_NAME = 64;
    private static final String ALWAYS_LOAD = "anthropic/alwaysLoad";
    private static final String SEARCH_HINT = "anthropic/searchHint";
    private static final String LONGEST_RESULT = "anthropic/maxResultSizeChars";
    private static final Pattern KEY = Pattern.compile("^[a-zA-Z0-9_.-]{1,64}$");
    private static final List<String> AT_ROOT = List.of("oneOf", "anyOf", "allOf", "not", "enum", "const");

    private final String key = new TestTenant().key(ClientApi.MCP, "ann", Role.OWNER, List.of("*"));

    @Test
    void theListsAndDescriptionsOfTools() {
        for (var toolset : List.of("default", "work", "all", "discovery", "bank")) {
            assertThat(flaws(list(toolset))).as(toolset).isEmpty();
        }
        var names = list("all").valueStream().map(tool -> tool.get("name").asString());
        var described = Json.object().putArray("tools");
        names.filter(name -> name.contains("_") && Character.isUpperCase(name.charAt(0)))
                .forEach(name -> described.add(client("discovery")
                        .modern("tools/call", "{'name': 'describe_tool', 'arguments': {'name': '%s'}}".formatted(name))
                        .at("/result/structuredContent")));
        assertThat(described.size()).isGreaterThan(80);
        assertThat(flaws(described)).isEmpty();
    }

    /** Clients that load tools when a model searches for them read this; no description in a model's context has it. */
    @Test
    void everyListedToolSaysHowClientsFindIt() {
        var tools = list("all").valueStream().toList();
        assertThat(named(tools, tool -> tool.at("/_meta").path(ALWAYS_LOAD).asBoolean(false)))
                .containsExactlyInAnyOrder(
                        "AP_Ask", "AP_Chat", "AP_Read", "AP_Wait", "MB_Search", "MB_Store", "TK_Reserve", "US_Read");
        assertThat(named(tools, tool -> tool.at("/_meta").path(LONGEST_RESULT).asInt(0) == 300_000))
                .containsExactlyInAnyOrder("MB_Load", "DC_Read", "ZN_Read", "MB_Search", "MB_Export");
        for (var tool :
                Stream.concat(tools.stream(), list("work").valueStream()).toList()) {
            var meta = tool.path("_meta");
            assertThat(meta.path(SEARCH_HINT).asString(""))
                    .as(tool.path("name").asString())
                    .matches(meta.has(ALWAYS_LOAD) ? "" : "[a-z]{3,}( [a-z]{2,}){2,7}");
        }
        assertThat(client("discovery")
                        .modern("tools/call", "{'name': 'describe_tool', 'arguments': {'name': 'AP_Chat'}}")
                        .at("/result/structuredContent")
                        .has("_meta"))
                .isFalse();
    }

    @Test
    void theToolsetOfCodingAgents() {
        assertThat(named(list("work").valueStream().toList(), _ -> true))
                .containsExactlyInAnyOrder(
                        "AP_Wait",
                        "AP_Ask",
                        "AP_Answer",
                        "AP_List",
                        "AP_Read",
                        "AP_Chat",
                        "AP_Search",
                        "ZN_Enter",
                        "ZN_Read",
                        "MB_Search",
                        "MB_Store",
                        "MB_Read",
                        "TK_List",
                        "TK_Create",
                        "TK_Claim",
                        "TK_Update",
                        "TK_Reserve",
                        "find_tools",
                        "describe_tool",
                        "run_tool");
        assertThat(client("work")
                        .modern("tools/call", "{'name': 'run_tool', 'arguments': {'name': 'AK_List'}}")
                        .at("/result/structuredContent/status/success")
                        .asBoolean(false))
                .isTrue();
    }

    private static List<String> named(List<JsonNode> tools, Predicate<JsonNode> condition) {
        return tools.stream()
                .filter(condition)
                .map(tool -> tool.path("name").asString(""))
                .toList();
    }

    @Test
    void theCatalogue() {
        var tools = got("/api/mcp/tools").get("tools");
        assertThat(tools.size()).isGreaterThan(80);
        assertThat(flaws(tools)).isEmpty();
    }

    /** Whole responses, parameters and headers may be referred to; a schema stands alone, and has one meaning for a name. */
    @Test
    void theOpenApiDocument() {
        var document = got("/api/openapi.json");
        var flaws = new ArrayList<String>();
        var named = new HashMap<String, JsonNode>();
        document.findValues("schema").forEach(schema -> lint(schema, name(schema), flaws));
        document.findParents("title").stream()
                .filter(schema -> schema.path("type").isString())
                .forEach(schema -> assertThat(named.computeIfAbsent(name(schema), _ -> schema))
                        .as(name(schema))
                        .isEqualTo(schema));
        assertThat(named).hasSizeGreaterThan(400).containsKeys("Agent", "Header", "AgentCreateVx");
        assertThat(flaws).isEmpty();
        assertThat(document.findValuesAsString("$ref"))
                .isNotEmpty()
                .allMatch(reference -> reference.matches("#/components/(responses|parameters|headers)/[A-Za-z0-9]+"));
        assertThat(document.path("components").has("schemas")).isFalse();
    }

    private static String name(JsonNode schema) {
        return schema.path("title").asString("");
    }

    /** Otherwise the lint could pass because it finds nothing. */
    @Test
    @SendsAnything
    void theLintFindsWhatItIsFor() {
        for (var flawed : List.of(
                "{'type': 'array'}",
                "{'type': 'object', 'properties': {'a': {'type': 'array'}}}",
                "{'type': 'object', 'properties': {'a': {'type': 'array', 'items': {'type': 'array'}}}}",
                "{'type': 'object', 'additionalProperties': {'type': 'array'}}",
                "{'type': ['object', 'null']}",
                "{'type': 'object', 'properties': {'a': {'$ref': '#/$defs/a'}}}",
                "{'type': 'object', '$defs': {}}",
                "{'type': 'object', 'anyOf': []}",
                "{'type': 'object', 'properties': {'a b': {'type': 'string'}}}",
                "{}")) {
            var flaws = new ArrayList<String>();
            root(RawMcpClient.json(flawed), "flawed", flaws);
            assertThat(flaws).as(flawed).isNotEmpty();
        }
    }

    /** Returns the tools of all pages. */
    private JsonNode list(String toolset) {
        var tools = Json.object().putArray("tools");
        var params = "{}";
        while (!params.isEmpty()) {
            var result = client(toolset).modern("tools/list", params).path("result");
            result.path("tools").forEach(tools::add);
            var next = result.path("nextCursor").asString("");
            params = next.isEmpty() ? "" : "{'cursor': '%s'}".formatted(next);
        }
        return tools;
    }

    private RawMcpClient client(String toolset) {
        return new RawMcpClient(TestServer.url() + "/mcp/x/" + toolset, key);
    }

    private static JsonNode got(String path) {
        try (var http = HttpClient.newHttpClient()) {
            var request =
                    HttpRequest.newBuilder(URI.create(TestServer.url() + path)).build();
            return Json.readValue(http.send(request, BodyHandlers.ofString()).body(), JsonNode.class);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> flaws(JsonNode tools) {
        var flaws = new ArrayList<String>();
        for (var tool : tools) {
            var name = tool.path("name").asString("");
            if (name.isEmpty()
                    || PREFIXES.stream().anyMatch(prefix -> prefix.length() + name.length() > LONGEST_NAME)
                    || !KEY.matcher(name).matches()) {
                flaws.add("the name " + name);
            }
            root(tool.path("inputSchema"), name, flaws);
            if (tool.has("outputSchema")) {
                root(tool.get("outputSchema"), name + " output", flaws);
            }
        }
        return flaws;
    }

    private static void root(JsonNode schema, String place, List<String> flaws) {
        if (!schema.path("type").asString("").equals("object")
                || AT_ROOT.stream().anyMatch(schema::has)) {
            flaws.add(place + " is no plain object");
        }
        lint(schema, place, flaws);
    }

    private static void lint(JsonNode schema, String place, List<String> flaws) {
        if (schema.path("type").isArray()) {
            flaws.add(place + " has several types");
        }
        if (schema.path("type").asString("").equals("array")
                && !schema.path("items").isObject()) {
            flaws.add(place + " has no items");
        }
        if (schema.has("$defs") || schema.has("$ref")) {
            flaws.add(place + " refers elsewhere");
        }
        for (var property : schema.path("properties").properties()) {
            if (!KEY.matcher(property.getKey()).matches()) {
                flaws.add(place + " has the key " + property.getKey());
            }
            lint(property.getValue(), place + "." + property.getKey(), flaws);
        }
        for (var inner : List.of("items", "additionalProperties")) {
            if (schema.path(inner).isObject()) {
                lint(schema.get(inner), place + "[]", flaws);
            }
        }
        for (var several : AT_ROOT) {
            if (schema.path(several).isArray() && !several.equals("enum")) {
                schema.get(several).forEach(each -> lint(each, place, flaws));
            }
        }
    }
}
