package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.web.server.SampleServer;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A request that meets a defect gets one response, with its id. */
class DefectsTest {
    private static final String CALL = "{'name': 'test_defect', 'arguments': {}}";

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

    private static void assertDefect(JsonNode answer, JsonNode id) {
        assertThat(answer.get("id")).isEqualTo(id);
        assertThat(answer.at("/error/code").asInt()).isEqualTo(-32603);
        assertThat(answer.at("/error/data/error").asString()).isEqualTo("internal");
        assertThat(answer.toString()).contains("request id").doesNotContain("the defect of a fixture");
    }

    private static void assertDefect(HttpResponse<String> response, JsonNode id) {
        assertThat(response.statusCode()).isEqualTo(500);
        assertDefect(RawMcpClient.json(response), id);
    }

    @Test
    void itsIdComesBackInEveryLane() {
        var bare = RawMcpClient.json(
                "{'jsonrpc': '2.0', 'id': 'seven', 'method': 'tools/call', 'params': %s}".formatted(CALL));
        assertDefect(server.mcp(bare.toString()), bare.get("id"));
        var talk = peer.session("2025-11-25", "{}");
        assertDefect(server.mcp(bare.toString(), "Mcp-Session-Id", talk.id()), bare.get("id"));
        var modern = peer.request("tools/call", CALL, "{}");
        assertDefect(peer.send(modern, RawMcpClient.mirrored(modern)), modern.get("id"));
    }

    @Test
    void aStreamThatHasBegunEndsWithTheError() {
        var talk = peer.session("2025-11-25", "{}");
        var body = talk.body("tools/call", CALL);
        try (var events = talk.start(body)) {
            assertThat(events.status()).isEqualTo(200);
            assertThat(events.next().get("method").asString()).isEqualTo("notifications/message");
            assertDefect(events.next(), RawMcpClient.json(body).get("id"));
        }
    }

    @Test
    void whatWasReadOfARequestOfAnotherIsForgotten() {
        server.mcp("{\"jsonrpc\": \"2.0\", \"id\": 9, \"method\": \"ping\"}");
        for (var body : List.of("{", "{\"jsonrpc\": \"2.0\", \"id\": 9, \"result\": {}}")) {
            assertThat(RawMcpClient.json(server.mcp(body)).has("id")).as(body).isFalse();
        }
    }
}
