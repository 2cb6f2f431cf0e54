package io.agentworkspace.engine.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.http.SampleServer;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.wire.SendsAnything;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Valid messages of every lane, with something wrong about them: always an orderly refusal, never a defect. */
@SendsAnything
class HostileMessagesTest {
    private static final long SEED = 20_260_728;
    private static final int MUTATIONS = 10_000;
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

    private static SampleServer server;
    private static Peer peer;

    private final Random random = new Random(SEED);

    @BeforeAll
    static void start() {
        server = new SampleServer(Fixtures.offer());
        peer = new Peer(server.url("/mcp").toString(), server.key);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private record Sent(String body, List<String> headers) {}

    @Test
    void tenThousandMutationsOfValidMessagesFindNoDefect() {
        var valid = valid();
        for (var i = 0; i < MUTATIONS; i++) {
            var sent = mutated(valid.get(random.nextInt(valid.size())));
            var response = send(sent);
            assertThat(response.statusCode())
                    .as("%d: %s %s → %s", i, sent.headers(), sent.body(), response.body())
                    .isLessThan(500);
            if (!response.body().isEmpty()) {
                var message = Json.read(response.body().getBytes(StandardCharsets.UTF_8));
                assertThat(message.isArray()
                                || message.path("jsonrpc").asString("").equals("2.0"))
                        .as(response.body())
                        .isTrue();
            }
        }
    }

    private List<Sent> valid() {
        var all = new ArrayList<Sent>();
        for (var params : List.of(
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
            var parts = params.split(" ", 2);
            var modern = peer.request(parts[0], parts[1], Peer.ALL);
            all.add(new Sent(Json.text(modern), Peer.mirrored(modern)));
            var bare = modern.deepCopy();
            ((ObjectNode) bare.get("params")).remove("_meta");
            all.add(new Sent(Json.text(bare), List.of()));
            var talk = peer.session("2025-03-26", Peer.ALL);
            all.add(new Sent(
                    Json.text(bare), List.of("Mcp-Session-Id", talk.id(), "MCP-Protocol-Version", "2025-03-26")));
            all.add(new Sent("[" + Json.text(bare) + "]", List.of("Mcp-Session-Id", talk.id())));
        }
        all.add(new Sent(Peer.json("""
                {'jsonrpc': '2.0', 'id': 1, 'method': 'initialize',
                 'params': {'protocolVersion': '2025-11-25', 'capabilities': {'elicitation': {}}}}""").toString(), List.of()));
        return all;
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
        return new Sent(body, headers);
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

    /** Without a stream, so that every answer has an end. */
    private static HttpResponse<String> send(Sent sent) {
        return server.send("/mcp", request -> {
            request.POST(BodyPublishers.ofString(sent.body()))
                    .header("Content-Type", "application/json")
                    .header("Accept", "application/json")
                    .header("X-Api-Key", server.key);
            return sent.headers().isEmpty()
                    ? request
                    : request.headers(sent.headers().toArray(String[]::new));
        });
    }
}
