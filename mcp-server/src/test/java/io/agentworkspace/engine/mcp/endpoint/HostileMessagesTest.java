package io.agentworkspace.engine.mcp.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.wire.SendsAnything;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Valid messages of every lane with one defect each: the response is always a proper refusal, never an internal error. */
@SendsAnything
@Tag("slow")
class HostileMessagesTest {
    private static final long SEED = 20_260_728;
    private static final int MUTATIONS = 4_000;
    private static final int INTERNAL = -32603;
    private static final String DECLARED = "{'extensions': {'io.modelcontextprotocol/tasks': {}}}";
    private static final String JSON = "application/json";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "0",
            "-1",
            "1e400",
            "\"\"",
            "\"\\u0000\"",
            "\"../../etc/passwd\"",
            "[]",
            "{}",
            "[[[[]]]]",
            "{\"a\": {\"b\": null}}",
            "\"2026-07-28\"",
            "\"1999-01-01\"",
            "12345678901234567890",
            "\"\\ud800\"");
    private static final List<String> HEADERS = List.of(
            "MCP-Protocol-Version",
            "Mcp-Method",
            "Mcp-Name",
            "Mcp-Session-Id",
            "X-MCP-Toolsets",
            "X-MCP-Readonly",
            "X-MCP-Confirm",
            "Mcp-Param-Region",
            "Idempotency-Key",
            "Last-Event-ID");

    private static final String EVENTS = "application/json, text/event-stream";

    /** A word of other tenants that must not come back. */
    private static final String FOREIGN = "Zwieback";

    private static SampleServer server;
    private static Way fixtures;
    private static Way production;
    private static String foreignTask;

    private final Random random = new Random(SEED);

    /** A server, with the key of the sender. */
    private record Way(String url, String key) {
        RawMcpClient peer() {
            return new RawMcpClient(url, key);
        }
    }

    private record Sent(Way way, String accept, String body, List<String> headers) {
        Sent but(String otherBody, List<String> otherHeaders) {
            return new Sent(way, accept, otherBody, otherHeaders);
        }
    }

    private record Got(int status, String body) {
        /** Returns the messages of a response. Invalid JSON is a failure too. */
        Stream<JsonNode> messages() {
            return body.startsWith("event:") || body.startsWith(":")
                    ? body.lines().filter(line -> line.startsWith("data: ")).map(line -> read(line.substring(6)))
                    : body.isEmpty() ? Stream.empty() : flat(read(body));
        }

        private static JsonNode read(String json) {
            return Json.read(json.getBytes(UTF_8));
        }

        private static Stream<JsonNode> flat(JsonNode answer) {
            return answer.isArray() ? answer.valueStream() : Stream.of(answer);
        }
    }

    @BeforeAll
    static void start() {
        server = new SampleServer(Fixtures.offer());
        fixtures = new Way(server.url("/mcp").toString(), server.key);
        production = new Way(
                TestServer.url() + "/mcp", new TestTenant().key(ClientApi.MCP, "eve", Role.OWNER, List.of("*")));
        var bea = new TestTenant().person(ClientApi.MCP, "bea", Role.OWNER);
        bea.call("AP_Create", "{'vx': {'name': 'Ada', 'description': '%1$s', 'profile': '%1$s'}}".formatted(FOREIGN))
                .ok();
        bea.call(
                        "DM_Create",
                        "{'target': {'agent': 'Ada'}, 'vx': {'name': 'Lab', 'description': '%s'}}".formatted(FOREIGN))
                .ok();
        bea.call("MB_Create", "{'vx': {'name': 'Notes', 'description': '%s'}}".formatted(FOREIGN))
                .ok();
        bea.call("MB_Store", "{'target': {'bank': 'Notes'}, 'content': '%s'}".formatted(FOREIGN))
                .ok();
        foreignTask = task(server.keys.add(Role.OWNER, "*"), FOREIGN);
    }

    /** Creates a fixture task whose result contains a word. */
    private static String task(String key, String word) {
        var call = "{'name': 'test_tool_with_task', 'arguments': {}, 'inputResponses':"
                + " {'user_name': {'action': 'accept', 'content': {'name': '%s'}}}}".formatted(word);
        var peer = new RawMcpClient(fixtures.url(), key);
        var id = peer.modern("tools/call", call, DECLARED).at("/result/taskId").asString();
        var get = "{'taskId': '%s'}".formatted(id);
        await().until(() -> peer.modern("tasks/get", get, DECLARED).toString().contains("Done for " + word));
        return id;
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void mutationsOfValidMessagesFindNoDefectAndNothingOfOthers() {
        var valid = valid();
        valid.forEach(sent -> assertOrderly(sent, send(sent)));
        for (var i = 0; i < MUTATIONS; i++) {
            var sent = mutated(valid.get(random.nextInt(valid.size())));
            assertOrderly(sent, send(sent));
        }
    }

    private static void assertOrderly(Sent sent, Got got) {
        assertThat(got.status()).as("%s → %s", sent, got.body()).isLessThan(500);
        assertThat(got.body()).as("%s", sent).doesNotContain(FOREIGN);
        assertThat(got.messages()).as("%s → %s", sent, got.body()).allSatisfy(message -> {
            assertThat(message.path("jsonrpc").asString("")).isEqualTo("2.0");
            // 429 for too many open streams is correct; the protocol has no other code for it.
            assertThat(message.at("/error/code").asInt(0) == INTERNAL && got.status() != 429)
                    .isFalse();
        });
    }

    private static List<Sent> valid() {
        var all = new ArrayList<Sent>();
        for (var request : List.of(
                "tools/list {}",
                "server/discover {}",
                "tools/call {'name': 'test_header_param', 'arguments': {'region': 'eu'}}",
                "tools/call {'name': 'test_input_required_result_elicitation', 'inputResponses':"
                        + " {'user_name': {'action': 'accept', 'content': {'name': 'Ada'}}}}",
                "tools/call {'name': 'test_input_required_result_request_state', 'requestState': 'AAAA'}",
                "resources/read {'uri': 'test://static-text'}",
                "resources/list {'cursor': 'MAo'}",
                "prompts/get {'name': 'test_prompt_with_arguments', 'arguments': {'arg1': 'a', 'arg2': 'b'}}",
                "subscriptions/listen {'notifications': {'resourceSubscriptions': ['test://watched-resource']}}",
                "completion/complete {'ref': {'type': 'ref/prompt', 'name': 'test_simple_prompt'}, 'argument': {'name': 'a', 'value': ''}}")) {
            everywhere(fixtures, request, all);
        }
        for (var request : List.of(
                "resources/read {'uri': 'engine://agents/Ada'}",
                "resources/list {}",
                "resources/templates/list {}",
                "prompts/get {'name': 'first-steps', 'arguments': {'task': 'begin'}}",
                "completion/complete {'ref': {'type': 'ref/resource', 'uri': 'engine://agents/{agent}'}, 'argument': {'name': 'agent', 'value': 'A'}}",
                "skills/list {}",
                "skills/get {'uri': 'skill://first-steps/SKILL.md'}",
                "resources/directory/read {'uri': 'skill://first-steps'}")) {
            everywhere(production, request, all);
        }
        subscriptions(fixtures, "test://watched-resource", all);
        subscriptions(production, "engine://domains/Lab/zones/main", all);
        tasks(all);
        catalogue(all);
        var hello = "{'protocolVersion': '2025-11-25', 'capabilities': {'elicitation': {}}}";
        var initialize =
                RawMcpClient.json("{'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': %s}".formatted(hello));
        all.add(new Sent(fixtures, JSON, initialize.toString(), List.of()));
        return all;
    }

    /** Sends the request in all lanes. */
    private static void everywhere(Way way, String request, List<Sent> all) {
        var parts = request.split(" ", 2);
        var modern = way.peer().request(parts[0], parts[1], RawMcpClient.ALL);
        all.add(modern(way, JSON, modern));
        var bare = modern.deepCopy();
        ((ObjectNode) bare.get("params")).remove("_meta");
        all.add(new Sent(way, JSON, Json.text(bare), List.of()));
        var session = way.peer().session("2025-03-26", RawMcpClient.ALL).id();
        all.add(new Sent(
                way, JSON, Json.text(bare), List.of("Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-03-26")));
        all.add(new Sent(way, JSON, "[" + Json.text(bare) + "]", List.of("Mcp-Session-Id", session)));
    }

    private static Sent modern(Way way, String accept, ObjectNode request) {
        return new Sent(way, accept, Json.text(request), RawMcpClient.mirrored(request));
    }

    private static void subscriptions(Way way, String uri, List<Sent> all) {
        var talk = way.peer().session("2025-11-25", "{}");
        for (var method : List.of("resources/subscribe", "resources/unsubscribe")) {
            var body = RawMcpClient.json(talk.body(method, "{'uri': '%s'}".formatted(uri)));
            all.add(new Sent(way, JSON, body.toString(), List.of("Mcp-Session-Id", talk.id())));
        }
        var filter = "{'notifications': {'toolsListChanged': true, 'resourceSubscriptions': ['%s']}}".formatted(uri);
        all.add(modern(way, EVENTS, way.peer().request("subscriptions/listen", filter, "{}")));
    }

    private static void tasks(List<Sent> all) {
        var peer = fixtures.peer();
        for (var id : List.of(task(server.key, "nobody"), foreignTask)) {
            for (var request : List.of(
                    "tasks/get {'taskId': '%s'}",
                    "tasks/update {'taskId': '%s', 'inputResponses': {'confirm': {'action': 'accept', 'content': {'confirm': true}}}}",
                    "tasks/cancel {'taskId': '%s'}",
                    "subscriptions/listen {'notifications': {'taskIds': ['%s']}}")) {
                var parts = request.formatted(id).split(" ", 2);
                var accept = parts[0].equals("subscriptions/listen") ? EVENTS : JSON;
                all.add(modern(fixtures, accept, peer.request(parts[0], parts[1], DECLARED)));
            }
        }
    }

    /** Adds calls of every production tool, with those of these arguments that it accepts. They name things of others. */
    private static void catalogue(List<Sent> all) {
        var arguments = RawMcpClient.json("""
                {'target': {'agent': 'Ada', 'domain': 'Lab', 'zone': 'main', 'bank': 'Notes', 'user': 'bea'},
                 'vx': {'name': 'Notes'}, 'content': 'what is there?', 'id': 'abcdefghijkl', 'name': 'first'}""");
        var peer = production.peer();
        for (var tool : peer.modern("tools/list", "{}").at("/result/tools")) {
            var taken = Json.object();
            for (var argument : arguments.properties()) {
                var schema = tool.at("/inputSchema/properties").path(argument.getKey());
                if (schema.has("properties") && argument.getValue() instanceof ObjectNode object) {
                    taken.set(
                            argument.getKey(),
                            object.deepCopy().retain(schema.get("properties").propertyNames()));
                } else if (!schema.isMissingNode()) {
                    taken.set(argument.getKey(), argument.getValue());
                }
            }
            var params = Json.object().put("name", tool.get("name").asString());
            params.set("arguments", taken);
            all.add(modern(production, JSON, peer.request("tools/call", params.toString(), "{}")));
        }
    }

    private Sent mutated(Sent valid) {
        var headers = new ArrayList<>(valid.headers());
        var body = valid.body();
        for (var changes = random.nextInt(3); changes >= 0; changes--) {
            switch (random.nextInt(4)) {
                case 0 -> body = withOtherValue(body);
                case 1 -> body = withoutPart(body);
                case 2 -> body = withOtherCharacter(body);
                default -> changeHeader(headers);
            }
        }
        return valid.but(body, headers);
    }

    private String withOtherValue(String body) {
        var at = body.indexOf(':', random.nextInt(body.length()));
        if (at < 0) {
            return body;
        }
        var end = at + 1;
        while (end < body.length() && body.charAt(end) != ',' && body.charAt(end) != '}') {
            end++;
        }
        return body.substring(0, at + 1) + VALUES.get(random.nextInt(VALUES.size())) + body.substring(end);
    }

    private String withoutPart(String body) {
        var from = random.nextInt(body.length());
        var to = Math.min(body.length(), from + 1 + random.nextInt(20));
        return body.substring(0, from) + body.substring(to);
    }

    private String withOtherCharacter(String body) {
        if (body.isEmpty()) {
            return body;
        }
        var at = random.nextInt(body.length());
        return body.substring(0, at) + (char) (1 + random.nextInt(0x2ff)) + body.substring(at + 1);
    }

    private void changeHeader(List<String> headers) {
        if (!headers.isEmpty() && random.nextBoolean()) {
            var at = 2 * random.nextInt(headers.size() / 2);
            headers.set(at + 1, headerValue());
        } else {
            headers.add(HEADERS.get(random.nextInt(HEADERS.size())));
            headers.add(headerValue());
        }
    }

    private String headerValue() {
        return switch (random.nextInt(6)) {
            case 0 -> "=?base64?" + random.nextInt() + "?=";
            case 1 -> "2026-07-28";
            case 2 -> "x".repeat(random.nextInt(500));
            case 3 -> "=?base64??=";
            case 4 -> "tools/call";
            default -> Integer.toString(random.nextInt());
        };
    }

    /** Sends a message. Only the first event of a stream is read. */
    private static Got send(Sent sent) {
        var request = HttpRequest.newBuilder(URI.create(sent.way().url()))
                .timeout(Duration.ofMinutes(2))
                .POST(BodyPublishers.ofString(sent.body()))
                .header("Content-Type", "application/json")
                .header("Accept", sent.accept())
                .header("X-Api-Key", sent.way().key());
        if (!sent.headers().isEmpty()) {
            request.headers(sent.headers().toArray(String[]::new));
        }
        try {
            var response = CLIENT.send(request.build(), BodyHandlers.ofInputStream());
            try (var body = response.body()) {
                var streams =
                        response.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
                var bytes = streams ? firstEvent(body) : body.readAllBytes();
                return new Got(response.statusCode(), new String(bytes, UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Reads up to the empty line that ends the event. */
    private static byte[] firstEvent(InputStream body) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var last = 0;
        for (var next = body.read(); next >= 0; next = body.read()) {
            bytes.write(next);
            if (next == '\n' && last == '\n') {
                break;
            }
            last = next;
        }
        return bytes.toByteArray();
    }
}
