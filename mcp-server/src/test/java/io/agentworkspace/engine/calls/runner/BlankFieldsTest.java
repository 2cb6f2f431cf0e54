package io.agentworkspace.engine.calls.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.CaseWorkspace;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.testing.ToolCases;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A blank or null field that would narrow what is destroyed, deleted, censored, granted or addressed counts as a required
 * one that is missing (decisions, section 3). {@code blank-fields.txt} lists, for each tool that changes something, the
 * optional fields that may be blank. All its other fields are tried here. A new tool refuses all of them until its
 * {@code @Doc} and that list say otherwise.
 */
class BlankFieldsTest {
    private static final List<JsonNode> NOTHING = Stream.concat(
                    Stream.of(
                                    "",
                                    " ",
                                    "\t\r\n",
                                    "\u00A0",
                                    "\u1680\u2003\u3000",
                                    "\u200B\u2060\uFEFF",
                                    "\u00AD",
                                    "\u202E\u2066",
                                    "\u3164\u115F\uFFA0",
                                    "\u2800",
                                    "\u034F\uFE0F",
                                    "\uDB40\uDC41")
                            .map(Json::valueTree),
                    Stream.of(Json.valueTree(null)))
            .toList();

    private static final List<Tool<?, ?>> CHANGING = TestDatabase.catalogue().tools().stream()
            .filter(tool -> tool.effect().isTransactional())
            .toList();

    /** An optional field of a tool. */
    private record Optional(Tool<?, ?> tool, String path, JsonNode schema, boolean isObject) {
        boolean isList() {
            return schema.has("items");
        }

        ObjectNode in(JsonNode arguments, JsonNode value) {
            var copy = (ObjectNode) arguments.deepCopy();
            var names = path.split("\\.");
            var at = copy;
            JsonNode around = tool.inputSchema().json();
            for (var i = 0; i < names.length - 1; i++) {
                around = around.path("properties").path(names[i]);
                if (!(at.get(names[i]) instanceof ObjectNode)) {
                    at.set(names[i], required(around));
                }
                at = (ObjectNode) at.get(names[i]);
            }
            at.set(names[names.length - 1], value);
            return copy;
        }
    }

    private static List<Optional> optional(Tool<?, ?> tool) {
        var found = new ArrayList<Optional>();
        collect(tool, tool.inputSchema().json(), "", found);
        return found;
    }

    private static void collect(Tool<?, ?> tool, JsonNode schema, String around, List<Optional> into) {
        var required =
                schema.path("required").valueStream().map(JsonNode::asString).toList();
        for (var field : schema.path("properties").properties()) {
            var isObject = field.getValue().has("properties");
            if (!required.contains(field.getKey())) {
                into.add(new Optional(tool, around + field.getKey(), field.getValue(), isObject));
            }
            if (isObject) {
                collect(tool, field.getValue(), around + field.getKey() + ".", into);
            }
        }
    }

    private static Map<String, Set<String>> table() {
        return Repository.text(Repository.file("mcp-server/src/test/resources/blank-fields.txt"))
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(":"))
                .collect(Collectors.toMap(
                        line -> line[0],
                        line -> line.length == 1
                                ? Set.of()
                                : new LinkedHashSet<>(List.of(line[1].strip().split(" "))),
                        (one, _) -> one,
                        LinkedHashMap::new));
    }

    /** Returns the fields that must not be blank: those that the list does not have. Objects are in it by their fields. */
    private static List<Optional> narrowing(Tool<?, ?> tool) {
        var free = table().get(tool.name());
        return optional(tool).stream()
                .filter(field -> field.isObject()
                        ? optional(tool).stream()
                                .anyMatch(inner -> !inner.isObject()
                                        && inner.path().startsWith(field.path() + ".")
                                        && !free.contains(inner.path()))
                        : !free.contains(field.path()) && !field.path().equals(Schema.IDEMPOTENCY_KEY))
                .toList();
    }

    private static boolean mayBeBlank(Optional field) {
        var schema = field.tool().inputSchema();
        try {
            schema.read(field.in(required(schema.json()), NOTHING.getLast()), true);
            return true;
        } catch (Problem problem) {
            assertThat(problem.failure()).isEqualTo(Failure.MISSING_FIELD);
            return false;
        }
    }

    @Test
    void theListSaysWhichFieldsMayBeBlank() {
        var lines = new ArrayList<String>();
        for (var tool : CHANGING) {
            var free = optional(tool).stream()
                    .filter(field -> !field.isObject() && mayBeBlank(field))
                    .map(Optional::path)
                    .filter(path -> !path.equals(Schema.IDEMPOTENCY_KEY))
                    .toList();
            lines.add((tool.name() + ": " + String.join(" ", free)).strip());
        }
        Golden.check(
                Repository.file("mcp-server/src/test/resources/blank-fields.txt"),
                """
                # The optional fields of each tool that changes something that count as left out if they are blank or null.
                # Every other one is refused then (1003). A field belongs here only if leaving it out never widens what is
                # destroyed, deleted, censored, granted or addressed.
                """ + lines.stream().map(line -> line + "\n").collect(Collectors.joining()));
    }

    @Test
    void noFieldOfAToolThatDestroysMayBeBlank() {
        var destroying = CHANGING.stream()
                .filter(tool -> tool.effect() == Effect.DESTROYS)
                .map(Tool::name)
                .toList();
        assertThat(destroying).contains("MB_Destroy", "AP_Destroy", "DM_Kick", "AK_Revoke");
        table().forEach((tool, free) ->
                assertThat(destroying.contains(tool) ? free : Set.of()).as(tool).isEmpty());
    }

    /** The typical calls of all tools, each with one field that is blank; then as they are, so that the next ones work. */
    @Test
    void aBlankFieldThatNarrowsIsMissing() {
        var workspace = new CaseWorkspace(TestDatabase.db(), TestDatabase.runner(TestDatabase.db()));
        var changing = CHANGING.stream().collect(Collectors.toMap(Tool::name, tool -> tool));
        var tried = 0;
        for (var tool : ToolCases.all()) {
            tool.before().forEach(step -> workspace.run(step, 1));
            if (changing.get(tool.tool()) != null) {
                var arguments = changing(changing.get(tool.tool()), workspace.arguments(tool.cost(), 1));
                for (var field : narrowing(changing.get(tool.tool()))) {
                    for (var nothing : nothings(field)) {
                        var answer = workspace.answer(tool.tool(), field.in(arguments, nothing));
                        assertThat(answer.problem())
                                .as("%s %s %s", tool.tool(), field.path(), nothing)
                                .isNotNull();
                        assertThat(answer.problem().failure())
                                .as("%s %s %s: %s", tool.tool(), field.path(), nothing, answer.envelope())
                                .isIn(
                                        nothing.isArray() && nothing.isEmpty()
                                                ? List.of(Failure.MISSING_FIELD, Failure.INVALID_FIELD)
                                                : List.of(Failure.MISSING_FIELD));
                        assertThat(answer.problem().note()).contains(field.path());
                        tried++;
                    }
                }
            }
            workspace.run(tool.tool() + " " + tool.cost(), 1);
            if (tool.tool().startsWith("AC_") || tool.tool().startsWith("RL_")) {
                TestDatabase.awaitChanges();
            }
        }
        assertThat(tried).isGreaterThan(1_000);
    }

    private static List<JsonNode> nothings(Optional field) {
        return field.isList()
                ? Stream.concat(
                                NOTHING.stream(),
                                Stream.of(Json.array(), Json.array().add(" ").add("\u200B")))
                        .toList()
                : NOTHING;
    }

    /** Over every address of every tool; each field with the next kind of blank. */
    @Test
    void itIsMissingOverEveryAddress() {
        var tenant = new TestTenant();
        var key = tenant.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));
        var before = TenantRows.of(tenant.id(ClientApi.REST));
        var sent = 0;
        for (var tool : CHANGING) {
            var required = changing(tool, required(tool.inputSchema().json()));
            for (var field : narrowing(tool)) {
                for (var way : CommandAddress.values()) {
                    if (tool.isCommand() || way == CommandAddress.MCP || way == CommandAddress.INVOKE) {
                        var body = Json.text(field.in(required, NOTHING.get(sent++ % NOTHING.size())));
                        missing(way.call(key, tool.name(), body), way + " " + tool.name() + " " + body, field.path());
                    }
                }
                var body = Json.text(field.in(required, NOTHING.get(sent++ % NOTHING.size())));
                for (var way : List.of(CommandAddress.MCP, CommandAddress.INVOKE)) {
                    missing(
                            way.call(key, "run_tool", """
                                    {"name":"%s","arguments":%s}""".formatted(tool.name(), body)),
                            "run_tool " + body,
                            field.path());
                    missing(
                            way.call(key, "run_plan", """
                                    {"steps":[{"id":"a","tool":"%s","arguments":%s}]}""".formatted(tool.name(), body)),
                            "run_plan " + body,
                            field.path());
                }
            }
        }
        assertThat(TenantRows.of(tenant.id(ClientApi.REST))).isEqualTo(before);
    }

    /** Models put the fields of {@code target} beside it. */
    @Test
    void itIsMissingBesideItsObject() {
        var tenant = new TestTenant();
        var key = tenant.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));
        var sent = 0;
        for (var tool : CHANGING) {
            var schema = tool.inputSchema().json();
            for (var field : narrowing(tool)) {
                var name = field.path().substring(field.path().indexOf('.') + 1);
                if (field.path().startsWith("target.")
                        && !schema.path("properties").has(name)) {
                    var body =
                            Json.text(changing(tool, required(schema)).set(name, NOTHING.get(sent++ % NOTHING.size())));
                    missing(CommandAddress.MCP.call(key, tool.name(), body), tool.name() + " " + body, field.path());
                }
            }
        }
        assertThat(sent).isGreaterThan(40);
    }

    private static void missing(Got got, String what, String path) {
        assertThat(got.error()).as("%s: %s", what, got).isEqualTo("missing_field");
        assertThat(got.note()).as("%s: %s", what, got).contains(path);
    }

    /** Returns the arguments with the field without which the tool would only read. */
    private static ObjectNode changing(Tool<?, ?> tool, ObjectNode arguments) {
        return !tool.runFor(arguments).effect().reads()
                ? arguments
                : optional(tool).stream()
                        .filter(field -> field.path().equals(tool.reading().field()))
                        .findFirst()
                        .orElseThrow()
                        .in(arguments, Json.valueTree("read"));
    }

    /** Returns values for the required fields only. */
    private static ObjectNode required(JsonNode schema) {
        var object = Json.object();
        for (var name : schema.path("required")) {
            var field = schema.path("properties").get(name.asString());
            object.set(name.asString(), value(field));
        }
        return object;
    }

    private static JsonNode value(JsonNode schema) {
        if (schema.has("enum")) {
            return schema.get("enum").get(schema.get("enum").size() - 1);
        }
        return switch (schema.path("type").asString()) {
            case "object" -> required(schema);
            case "array" -> Json.array().add(value(schema.get("items")));
            case "integer" -> Json.valueTree(Math.max(1, schema.path("minimum").asLong(1)));
            case "boolean" -> Json.valueTree(false);
            default ->
                Json.valueTree(
                        schema.path("format").asString("").equals("date-time") ? "2099-01-01T00:00:00Z" : "word");
        };
    }
}
