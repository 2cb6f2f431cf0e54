package io.agentworkspace.engine.mcp.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Fixtures;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.web.server.SampleServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class ModernLaneTest {
    private static SampleServer server;
    private static RawMcpClient peer;

    @BeforeAll
    static void start() {
        server = new SampleServer(Fixtures.offer());
        peer = new RawMcpClient(server.url("/mcp").toString(), server.key);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void everyResultSaysItsTypeAndWhoServed() {
        for (var method : List.of("server/discover", "tools/list", "resources/list", "prompts/list")) {
            var result = peer.modern(method, "{}").get("result");
            assertThat(result.get("resultType").asString()).as(method).isEqualTo("complete");
            assertThat(result.at("/_meta/io.modelcontextprotocol~1serverInfo/version")
                            .asString())
                    .isEqualTo("1");
            assertThat(result.get("ttlMs").asLong()).isNotNegative();
            assertThat(result.get("cacheScope").asString()).isIn("public", "private");
        }
    }

    @Test
    void whatARequestLacksIsInvalidParamsWithStatus400() {
        for (var lacking : List.of(
                "{}",
                "{'_meta': 7}",
                "{'_meta': {}}",
                "{'_meta': {'io.modelcontextprotocol/protocolVersion': '2026-07-28'}}",
                "{'_meta': {'io.modelcontextprotocol/protocolVersion': 7, 'io.modelcontextprotocol/clientCapabilities': {}}}",
                "{'_meta': {'io.modelcontextprotocol/protocolVersion': '2026-07-28',"
                        + " 'io.modelcontextprotocol/clientCapabilities': []}}")) {
            var request = peer.request("tools/list", "{}", "{}");
            request.set("params", RawMcpClient.json(lacking));
            assertRefused(peer.send(request, RawMcpClient.mirrored(request)), 400, -32602, request);
        }
    }

    @Test
    void aMissingOrDifferentHeaderIsAMismatch() {
        var request = peer.request("tools/call", "{'name': 'test_simple_text'}", "{}");
        var right = RawMcpClient.mirrored(request);
        for (var i = 0; i < right.size(); i += 2) {
            var missing = new ArrayList<>(right);
            missing.subList(i, i + 2).clear();
            assertRefused(peer.send(request, missing), 400, -32020, request);
            for (var wrong : List.of(right.get(i + 1).toUpperCase(Locale.ROOT) + "X", "", "=?base64?!?=")) {
                var different = new ArrayList<>(right);
                different.set(i + 1, wrong);
                assertRefused(peer.send(request, different), 400, -32020, request);
            }
        }
    }

    @Test
    void aVersionThatIsNotSpokenIsToldWithThoseThatAre() {
        var request = peer.request("tools/list", "{}", "{}");
        ((ObjectNode) request.at("/params/_meta")).put("io.modelcontextprotocol/protocolVersion", "2027-01-01");
        var response = peer.send(request, List.of("MCP-Protocol-Version", "2027-01-01", "Mcp-Method", "tools/list"));
        assertRefused(response, 400, -32022, request);
        assertThat(RawMcpClient.json(response).at("/error/data/supported/0").asString())
                .isEqualTo("2026-07-28");
        assertThat(RawMcpClient.json(response).at("/error/data/requested").asString())
                .isEqualTo("2027-01-01");
    }

    @ParameterizedTest
    @ValueSource(strings = {"initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such", "tasks/list"})
    void whatThisRevisionDoesNotHaveIsNotFound(String method) {
        var request = peer.request(method, "{}", "{}");
        assertRefused(peer.send(request, RawMcpClient.mirrored(request)), 404, -32601, request);
    }

    @Test
    void aNameThatIsNoHeaderTextComesEncoded() {
        var request = peer.request("resources/read", "{'uri': 'test://käse'}", "{}");
        var headers = List.of(
                "MCP-Protocol-Version",
                "2026-07-28",
                "Mcp-Method",
                "resources/read",
                "Mcp-Name",
                "=?base64?dGVzdDovL2vDpHNl?=");
        var error = RawMcpClient.json(peer.send(request, headers)).get("error");
        assertThat(error.get("code").asInt()).isEqualTo(-32602);
        assertThat(error.at("/data/uri").asString()).isEqualTo("test://käse");
    }

    @Test
    void notificationsAreTakenAndNotAnswered() {
        var request = peer.request("notifications/cancelled", "{'requestId': 1}", "{}");
        request.remove("id");
        var response = peer.send(request, RawMcpClient.mirrored(request));
        assertThat(response.statusCode()).isEqualTo(202);
        assertThat(response.body()).isEmpty();
    }

    @Test
    void aStateOpensOnlyForTheSameCallerAndRequest() {
        var tool = "test_input_required_result_request_state";
        var question =
                peer.modern("tools/call", "{'name': '%s'}".formatted(tool)).get("result");
        assertThat(question.get("resultType").asString()).isEqualTo("input_required");
        var state = question.get("requestState").asString();
        var answered =
                "'inputResponses': {'confirm': {'action': 'accept', 'content': {'ok': true}}}, 'requestState': '%s'";
        var right = "{'name': '%s', %s}".formatted(tool, answered.formatted(state));
        assertThat(text(peer.modern("tools/call", right))).isEqualTo("state-ok");

        var other = new RawMcpClient(server.url("/mcp").toString(), server.keys.add(Role.OWNER, "*"));
        assertThat(code(other.modern("tools/call", right))).isEqualTo(-32602);
        for (var forged : List.of("", "x", state + "A", state.substring(1), state.toLowerCase(Locale.ROOT))) {
            var wrong = "{'name': '%s', %s}".formatted(tool, answered.formatted(forged));
            assertThat(code(peer.modern("tools/call", wrong))).as(forged).isEqualTo(-32602);
        }
        var elsewhere =
                "{'name': 'test_input_required_result_tampered_state', %s}".formatted(answered.formatted(state));
        assertThat(code(peer.modern("tools/call", elsewhere))).isEqualTo(-32602);
        var changed = "{'name': '%s', 'arguments': {'a': 1}, %s}".formatted(tool, answered.formatted(state));
        assertThat(code(peer.modern("tools/call", changed))).isEqualTo(-32602);
    }

    @Test
    void aClientIsNeverAskedForWhatItDidNotDeclare() {
        var request = peer.request("tools/call", "{'name': 'test_missing_capability'}", "{}");
        var response = peer.send(request, RawMcpClient.mirrored(request));
        assertRefused(response, 400, -32021, request);
        assertThat(RawMcpClient.json(response)
                        .at("/error/data/requiredCapabilities")
                        .has("sampling"))
                .isTrue();
    }

    @Test
    void anAnswerBecomesAStreamAtItsFirstNotification() {
        var quiet = peer.request("tools/call", "{'name': 'test_tool_with_progress'}", "{}"); // No token, no progress.
        assertThat(peer.send(quiet, RawMcpClient.mirrored(quiet)).headers().firstValue("Content-Type"))
                .hasValue("application/json");
        var request = peer.request("tools/call", "{'name': 'test_tool_with_progress'}", "{}");
        ((ObjectNode) request.at("/params/_meta")).put("progressToken", "t");
        var response = peer.send(request, RawMcpClient.mirrored(request));
        assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
        var said = response.body()
                .lines()
                .filter(line -> line.startsWith("data: "))
                .toList();
        assertThat(said).hasSize(4);
        assertThat(said.getFirst()).contains("\"progressToken\":\"t\"").contains("\"progress\":0");
    }

    @Test
    void aClientThatTakesNoStreamGetsOneObject() {
        var request = peer.request("tools/call", "{'name': 'test_tool_with_progress'}", "{}");
        ((ObjectNode) request.at("/params/_meta")).put("progressToken", "t");
        var headers = new ArrayList<>(RawMcpClient.mirrored(request));
        headers.addAll(
                List.of("X-Api-Key", server.key, "Content-Type", "application/json", "Accept", "application/json"));
        var response = server.send(
                "/mcp",
                builder -> builder.POST(BodyPublishers.ofString(Json.text(request)))
                        .headers(headers.toArray(String[]::new)));
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
        assertThat(RawMcpClient.json(response).has("result")).isTrue();
    }

    private static void assertRefused(HttpResponse<String> response, int status, int code, ObjectNode request) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(code(RawMcpClient.json(response))).isEqualTo(code);
        assertThat(RawMcpClient.json(response).get("id")).isEqualTo(request.get("id"));
    }

    private static int code(JsonNode message) {
        return message.at("/error/code").asInt();
    }

    private static String text(JsonNode message) {
        return message.at("/result/content/0/text").asString("");
    }
}
