package io.agentworkspace.engine.calls.runner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.McpResult;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.wire.SendsAnything;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every field of every tool's input, generated from the schemas, also inside lists and objects: what the schema does
 * not allow is refused by the field's name, and what cannot be stored is refused before anything runs.
 */
@SendsAnything
class InputSchemasTest {
    private static final int BATCH = 50;
    private static final int MOST_BYTES = 900_000;
    private static final String NUL = "a\u0000b";
    private static final String UNSTORABLE = "must not contain NUL characters or unpaired surrogates";
    private static final List<String> SURROGATES = List.of("\ud800", "x\udc00y", "\udfff\ud800");

    /** Texts that can be stored, and that parsers, patterns and formats stumble over. */
    private static final List<String> HOSTILE = List.of(
            "\uFFFF",
            "\u202E\u200B",
            "%s%n{0}${x}",
            "\\u0000 \\ud800",
            "é\u0301\u0301",
            "'; --",
            "/../..",
            "٥",
            "\u0085");

    /** JSON that is legal, or nearly, and that readers do not agree about; an odd number of them. */
    private static final List<String> RAW = List.of(
            "1e400",
            "9".repeat(900),
            "1e2147483648",
            "[".repeat(300) + "]".repeat(300),
            "[".repeat(20_000),
            "{\"a\":".repeat(900) + "1" + "}".repeat(900),
            "{\"a\":1,\"a\":2}",
            "{\"" + "k".repeat(60_000) + "\":1}",
            "[{\"\\ud800\":1}]",
            "[[[\"\\u0000\"],\"\\udc00\"]]",
            "\"\\ud83d\\ud83d\\ude00\"",
            "NaN",
            "\"\\uFFFE\\uFDD0\"");

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));
    private final List<Case> cases = new ArrayList<>();
    private final RawMcpClient.Session session =
            new RawMcpClient(TestServer.url() + "/mcp", key).session("2025-03-26", "{}");

    /**
     * A call with one field that is wrong.
     *
     * @param errors the errors of which it gets one; empty for any that is not a defect
     * @param named what the note contains
     */
    private record Case(String tool, String what, ObjectNode arguments, List<String> errors, String named) {}

    private static List<Tool<?, ?>> tools() {
        return TestDatabase.catalogue().tools();
    }

    /** Returns a value that the schema allows, with every field. */
    private static JsonNode sample(JsonNode schema) {
        return switch (schema.path("type").asString()) {
            case "object" -> {
                var object = Json.object();
                schema.path("properties")
                        .properties()
                        .forEach(field -> object.set(field.getKey(), sample(field.getValue())));
                yield object;
            }
            case "array" -> Json.array().add(sample(schema.get("items")));
            case "integer" ->
                schema.has("enum")
                        ? schema.at("/enum/0")
                        : Json.valueTree(Math.max(1, schema.path("minimum").asLong(1)));
            case "boolean" -> Json.valueTree(false);
            case "number" -> Json.valueTree(0.5);
            default ->
                schema.has("enum")
                        ? schema.at("/enum/0")
                        : Json.valueTree(
                                switch (schema.path("format").asString("")) {
                                    case "uuid" -> "6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11";
                                    case "date-time" -> "2099-01-01T00:00:00Z";
                                    default -> "word";
                                });
        };
    }

    private interface Visitor {
        /** @param pointer where the value is in the sample */
        void visit(String path, String pointer, JsonNode schema, boolean required);
    }

    /** Visits every value below the schema: fields of objects, items of lists, and fields of items. */
    private static void walk(String path, String pointer, JsonNode schema, Visitor visitor) {
        var required =
                schema.path("required").valueStream().map(JsonNode::asString).toList();
        for (var field : schema.path("properties").properties()) {
            var at = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
            visitor.visit(at, pointer + "/" + field.getKey(), field.getValue(), required.contains(field.getKey()));
            walk(at, pointer + "/" + field.getKey(), field.getValue(), visitor);
        }
        if (schema.has("items")) {
            visitor.visit(path + "[0]", pointer + "/0", schema.get("items"), true);
            walk(path + "[0]", pointer + "/0", schema.get("items"), visitor);
        }
    }

    private static ObjectNode changed(JsonNode sample, String pointer, Consumer<Place> change) {
        var copy = (ObjectNode) sample.deepCopy();
        var cut = pointer.lastIndexOf('/');
        change.accept(new Place(copy.at(pointer.substring(0, cut)), pointer.substring(cut + 1)));
        return copy;
    }

    private record Place(JsonNode around, String name) {
        void set(JsonNode value) {
            if (around instanceof ArrayNode array) {
                array.set(Integer.parseInt(name), value);
            } else {
                ((ObjectNode) around).set(name, value);
            }
        }

        void remove() {
            ((ObjectNode) around).remove(name);
        }
    }

    @Test
    void whatASchemaDoesNotAllowIsRefusedByNameEverywhere() {
        for (var tool : tools()) {
            var schema = tool.inputSchema().json();
            var sample = (ObjectNode) sample(schema);
            cases.add(new Case(
                    tool.name(),
                    "stranger",
                    sample.deepCopy().put("foo", 1),
                    List.of("invalid_field"),
                    "foo is not a field"));
            walk(
                    "",
                    "",
                    schema,
                    (path, pointer, field, required) -> broken(tool.name(), sample, path, pointer, field, required));
        }
        assertThat(cases.size()).isGreaterThan(800);
        assertThat(cases)
                .anyMatch(one -> one.what().contains("pairs[0].query"))
                .anyMatch(one -> one.what().contains("examples[0]"));
        var before = TenantRows.of(tenant.id(ClientApi.REST));
        assertAll();
        assertThat(TenantRows.of(tenant.id(ClientApi.REST))).isEqualTo(before);
    }

    private void broken(String tool, ObjectNode sample, String path, String pointer, JsonNode field, boolean required) {
        var isItem = path.endsWith("]");
        if (required && !isItem) {
            var innermost = field.path("required").path(0).asString("");
            var missing = innermost.isEmpty() ? path : path + "." + innermost;
            add(tool, path + " absent", changed(sample, pointer, Place::remove), missing, "missing_field");
            add(
                    tool,
                    path + " null",
                    changed(sample, pointer, place -> place.set(Json.valueTree(null))),
                    missing,
                    "missing_field");
        } else if (isItem) {
            add(
                    tool,
                    path + " null",
                    changed(sample, pointer, place -> place.set(Json.valueTree(null))),
                    path,
                    "malformed_json");
        }
        switch (field.path("type").asString()) {
            case "string" -> {
                var most = field.has("enum") || field.has("format")
                        ? 100
                        : field.path("maxLength").asInt(255);
                if (most < MOST_BYTES) { // Otherwise the body is too long before the field is.
                    var text = "x".repeat(most + 1);
                    add(
                            tool,
                            path + " too long",
                            changed(sample, pointer, place -> place.set(Json.valueTree(text))),
                            path,
                            "too_large",
                            "invalid_field");
                }
            }
            case "array" -> {
                var items = Json.array();
                IntStream.range(0, 1_001).forEach(_ -> items.add(sample(field.get("items"))));
                add(tool, path + " too many", changed(sample, pointer, place -> place.set(items)), path, "too_large");
            }
            case "object" -> {
                if (field.has("properties")) {
                    add(
                            tool,
                            path + " stranger",
                            changed(sample, pointer + "/foo", place -> place.set(Json.valueTree(1))),
                            path + ".foo",
                            "invalid_field");
                }
            }
            default -> {}
        }
    }

    private void add(String tool, String what, ObjectNode arguments, String named, String... errors) {
        cases.add(new Case(tool, what, arguments, List.of(errors), named));
    }

    @Test
    void whatCannotBeStoredIsRefusedByNameEverywhere() {
        for (var tool : tools()) {
            var schema = tool.inputSchema().json();
            var sample = (ObjectNode) sample(schema);
            add(tool.name(), "a name", sample.deepCopy().put(NUL, 1), "a field's name " + UNSTORABLE, "invalid_field");
            walk("", "", schema, (path, pointer, field, _) -> {
                var texts = List.of(NUL, SURROGATES.get(cases.size() % SURROGATES.size()));
                if (field.path("type").asString().equals("string")) {
                    for (var bad : texts) {
                        var arguments = changed(sample, pointer, place -> place.set(Json.valueTree(bad)));
                        add(tool.name(), path, arguments, path + " " + UNSTORABLE, "invalid_field");
                    }
                } else if (field.path("type").asString().equals("object")) {
                    for (var bad : texts) {
                        add(
                                tool.name(),
                                path,
                                changed(
                                        sample,
                                        pointer + "/x",
                                        place -> place.set(
                                                Json.array().add(Json.object().put("y", bad)))),
                                path + ".x[0].y " + UNSTORABLE,
                                "invalid_field");
                    }
                    add(
                            tool.name(),
                            path,
                            changed(sample, pointer + "/" + NUL, place -> place.set(Json.valueTree(1))),
                            "a field's name in " + path + " " + UNSTORABLE,
                            "invalid_field");
                }
            });
        }
        assertThat(cases.size()).isGreaterThan(1_000);
        var before = TenantRows.of(tenant.id(ClientApi.REST));
        assertAll();
        assertThat(TenantRows.of(tenant.id(ClientApi.REST))).isEqualTo(before);
    }

    @Test
    void whatCannotBeStoredIsRefusedInEveryPathQueryAndBodyOfTheRestApi() {
        var document =
                Json.readValue(new String(send("GET", "/api/openapi.json", null).body(), UTF_8), ObjectNode.class);
        var sent = 0;
        for (var path : document.get("paths").properties()) {
            for (var method : path.getValue().properties()) {
                var operation = method.getValue();
                var address = path.getKey().replaceAll("\\{[^}]+}", "x");
                var verb = method.getKey().toUpperCase(Locale.ROOT);
                for (var bad : List.of("%00", "a%00b", "%ED%A0%80", "%FF")) {
                    for (var parameter : operation.path("parameters")) {
                        var name = parameter.path("name").asString();
                        var where = parameter.path("in").asString().equals("path")
                                ? path.getKey().replace("{" + name + "}", bad).replaceAll("\\{[^}]+}", "x")
                                : address + "?" + name + "=" + bad;
                        assertNoDefect(verb, where, null);
                        sent++;
                    }
                }
                var body = operation.at("/requestBody/content/application~1json/schema");
                for (var field : body.path("properties").properties()) {
                    for (var bad : List.of("\"\\ud800\"", "\"a\\u0000b\"", "{\"\\u0000\":1}")) {
                        assertNoDefect(verb, address, "{\"%s\":%s}".formatted(field.getKey(), bad));
                        sent++;
                    }
                }
            }
        }
        assertThat(sent).isGreaterThan(500);
    }

    private void assertNoDefect(String method, String address, @Nullable String body) {
        var response = send(method, address, body);
        assertThat(response.statusCode())
                .as("%s %s %s: %s", method, address, body, new String(response.body(), UTF_8))
                .isLessThan(500);
    }

    private HttpResponse<byte[]> send(String method, String address, @Nullable String body) {
        var publisher = body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + address))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json")
                .method(method, publisher)
                .build();
        try {
            return ClientApi.send(request);
        } catch (UncheckedIOException closed) {
            return ClientApi.send(request); // The server closes a connection after some refusals.
        }
    }

    @Test
    void whatMcpSendsBesidesArgumentsMakesNoDefect() {
        var bad = List.of("""
                {"jsonrpc":"2.0","id":"\\ud800","method":"ping"}""", """
                {"jsonrpc":"2.0","id":1,"method":"\\ud800"}""", """
                {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"\\udc00\\u0000"}}""", """
                {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"find_tools","arguments":{"query":"\\ud800"}}}""", """
                {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"run_tool","arguments":{"name":"AP_Create","arguments":{"vx":{"name":"\\ud800"}}}}}""", """
                {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\u0000"}}""", """
                {"jsonrpc":"2.0","id":"\\u0000","result":{"\\u0000":1}}""", """
                {"jsonrpc":"1.0","id":5}""", "7");
        var good = """
                {"jsonrpc":"2.0","id":"good","method":"tools/call","params":{"name":"US_Read","arguments":{}}}""";
        for (var one : bad) {
            assertThat(session.post(one.replace("'", "\\u0027")).statusCode())
                    .as(one)
                    .isLessThan(500);
        }
        var answers = RawMcpClient.json(session.post("[" + String.join(",", bad) + "," + good + "]"));
        assertThat(answers.size()).isEqualTo(bad.size() - 1);
        assertThat(answers.get(answers.size() - 1)
                        .at("/result/structuredContent/status/success")
                        .asBoolean(false))
                .isTrue();
        assertThat(answers.get(0).get("id").asString()).isEqualTo("\ud800");
    }

    /** These run: the rest of the arguments is the tool's example, and nothing of other servers is called. */
    @Test
    void hostileTextsThatCanBeStoredMakeNoDefect() {
        for (var tool : tools()) {
            if (tool.callsOut() && tool.family() != Family.BANK || tool.family() == Family.WEBHOOK) {
                continue;
            }
            var example = Example.arguments(tool);
            if (tool.inputSchema().json().path("properties").has("wait_seconds")) {
                example.put("wait_seconds", 0);
            }
            walk("", "", tool.inputSchema().json(), (path, pointer, field, _) -> {
                if (field.path("type").asString().equals("string") && !path.contains("[0].")) {
                    var text = HOSTILE.get(cases.size() % HOSTILE.size());
                    var arguments = example.deepCopy();
                    put(arguments, pointer.substring(1).split("/"), text);
                    add(tool.name(), path, arguments, "");
                }
            });
        }
        assertAll();
    }

    /** Each field gets one of these over each endpoint; the next field the next one. */
    @Test
    void jsonThatParsersStumbleOverMakesNoDefect() {
        var hole = "\"the value\"";
        var sent = new AtomicInteger();
        for (var tool : tools()) {
            var schema = tool.inputSchema().json();
            var sample = (ObjectNode) sample(schema);
            walk("", "", schema, (path, pointer, _, _) -> {
                var body = escaped(changed(sample, pointer, place -> place.set(Json.valueTree("the value"))));
                for (var way : List.of(CommandAddress.MCP, CommandAddress.INVOKE)) {
                    var raw = RAW.get(sent.getAndIncrement() % RAW.size());
                    var got = way.call(key, tool.name(), body.replace(hole, raw));
                    assertThat(got.status() < 500 && !got.error().equals("internal"))
                            .as("%s %s %s %.60s: %s", way, tool.name(), path, raw, got.text())
                            .isTrue();
                }
            });
        }
        assertThat(sent.get()).isGreaterThan(1_000);
    }

    private static void put(ObjectNode arguments, String[] names, String text) {
        var at = arguments;
        for (var i = 0; i < names.length; i++) {
            if (i == names.length - 1) {
                at.put(names[i], text);
            } else if (names[i + 1].equals("0")) {
                at.putArray(names[i]).add(text);
                return;
            } else {
                at = at.get(names[i]) instanceof ObjectNode object ? object : at.putObject(names[i]);
            }
        }
    }

    /** Sends all cases over both endpoints. */
    private void assertAll() {
        var faults = new LinkedHashMap<String, String>();
        var bodies = cases.stream().map(one -> escaped(one.arguments())).toList();
        for (int from = 0, to; from < cases.size(); from = to) {
            to = from;
            for (var bytes = 0; to < cases.size() && to - from < BATCH; to++) {
                bytes += bodies.get(to).length() + 200;
                if (bytes > MOST_BYTES) {
                    break;
                }
            }
            overMcp(from, bodies.subList(from, to), faults);
            for (var i = from; i < to; i++) {
                var got = CommandAddress.INVOKE.call(key, cases.get(i).tool(), bodies.get(i));
                check(cases.get(i), got.status(), got.error(), got.note(), "REST", faults);
            }
        }
        assertThat(faults.entrySet().stream().map(Object::toString))
                .as("%d faults", faults.size())
                .isEmpty();
    }

    /** Returns the JSON in ASCII, since UTF-8 cannot hold all of these texts; and without the quotes that the client replaces. */
    private static String escaped(JsonNode json) {
        return Json.text(json)
                .chars()
                .mapToObj(c -> c < 128 && c != '\'' ? Character.toString(c) : "\\u%04x".formatted(c))
                .collect(Collectors.joining());
    }

    private void overMcp(int from, List<String> bodies, Map<String, String> faults) {
        var calls = IntStream.range(0, bodies.size())
                .mapToObj(i -> """
                        {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}""".formatted(from + i, cases.get(from + i).tool(), bodies.get(i)))
                .collect(Collectors.joining(",", "[", "]"));
        var response = session.post(calls);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        var answers = RawMcpClient.json(response);
        assertThat(answers.size()).isEqualTo(bodies.size());
        for (var answer : answers) {
            var one = cases.get(answer.get("id").asInt());
            var envelope = answer.has("result") ? McpResult.envelope(answer.get("result")) : answer.at("/error/data");
            var status = envelope.path("status");
            check(
                    one,
                    200,
                    status.path("error").asString(""),
                    status.path("note").asString(answer.toString()),
                    "MCP",
                    faults);
        }
    }

    private static void check(
            Case one, int status, String error, String note, String endpoint, Map<String, String> faults) {
        var fine = status < 500
                && !error.equals("internal")
                && (one.errors().isEmpty() || one.errors().contains(error))
                && note.contains(one.named());
        if (!fine) {
            faults.put(
                    "%s %s %s".formatted(endpoint, one.tool(), one.what()), "%d %s %s".formatted(status, error, note));
        }
    }
}
