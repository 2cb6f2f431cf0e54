package io.agentworkspace.engine.mcp.lanes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.Fixtures;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.web.server.SampleServer;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class SessionLaneTest {
    private static final String PING = "{'jsonrpc': '2.0', 'id': 7, 'method': 'ping'}";

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

    @ParameterizedTest
    @CsvSource({
        "2025-11-25, 2025-11-25",
        "2025-06-18, 2025-06-18",
        "2025-03-26, 2025-03-26",
        "2024-11-05, 2025-11-25",
        "2026-07-28, 2025-11-25",
        "nonsense, 2025-11-25"
    })
    void theVersionAskedForIsSpokenWhereItCanBe(String requestVersion, String agreed) {
        assertThat(peer.session(requestVersion, "{}").version()).isEqualTo(agreed);
    }

    @Test
    void aSessionIsItsPrincipalsAlone() {
        var talk = peer.session("2025-11-25", "{}");
        assertThat(talk.post(PING).statusCode()).isEqualTo(200);
        var other = new RawMcpClient(server.url("/mcp").toString(), server.keys.add(Role.OWNER, "*"));
        assertThat(talk.through(other).post(PING).statusCode()).isEqualTo(404);
        for (var forged : List.of("x", talk.id() + "A", talk.id().substring(1), "A".repeat(5_000))) {
            var response = new RawMcpClient.Session(peer, forged, "2025-11-25").post(PING);
            assertThat(response.statusCode()).as(forged).isEqualTo(404);
            assertThat(RawMcpClient.json(response).get("id").asInt()).isEqualTo(7);
        }
    }

    @Test
    void anEndedSessionIsNotFound() {
        var talk = peer.session("2025-06-18", "{}");
        assertThat(talk.end().statusCode()).isEqualTo(204);
        assertThat(talk.post(PING).statusCode()).isEqualTo(404);
        assertThat(talk.end().statusCode()).isEqualTo(404);
        assertThat(talk.listen().status()).isEqualTo(404);
    }

    @Test
    void anotherVersionThanTheAgreedOneIsRefused() {
        var talk = peer.session("2025-11-25", "{}");
        assertThat(new RawMcpClient.Session(peer, talk.id(), "2025-06-18")
                        .post(PING)
                        .statusCode())
                .isEqualTo(400);
        var unknown = new RawMcpClient.Session(peer, talk.id(), "1999-01-01").post(PING);
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(RawMcpClient.json(unknown).at("/error/code").asInt()).isEqualTo(-32022);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"2027-01-01", "2026-07-28", "1999-01-01", "DRAFT-2026-v1", "v2", "0", "2025-11-25, 2025-06-18"})
    void theHeaderOfInitializeDoesNotMatter(String version) {
        var initialize = """
                {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                 "clientInfo": {"name": "test", "version": "1"}}}""";
        var response = peer.post(initialize, List.of("MCP-Protocol-Version", version), BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(RawMcpClient.json(response).at("/result/protocolVersion").asString())
                .isEqualTo("2025-11-25");
        assertThat(response.headers().firstValue("Mcp-Session-Id")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"2027-01-01", "1999-01-01", "DRAFT-2026-v1", "v2", "0", "9999-99-99", "2025-11-25, 2025-06-18"})
    void anyOtherRequestWithAnUnknownVersionIsRefusedWithTheSupportedOnes(String version) {
        var talk =
                new RawMcpClient.Session(peer, peer.session("2025-03-26", "{}").id(), version);
        for (var response : List.of(
                talk.post(PING),
                talk.post("[" + PING + "]"),
                talk.post("{'jsonrpc': '2.0', 'method': 'notifications/initialized'}"),
                talk.post("{'jsonrpc': '2.0', 'id': 1, 'result': {}}"),
                talk.end(),
                peer.post(
                        PING.replace('\'', '"'), List.of("MCP-Protocol-Version", version), BodyHandlers.ofString()))) {
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(RawMcpClient.json(response).at("/error/code").asInt()).isEqualTo(-32022);
            assertThat(RawMcpClient.json(response).at("/error/data/supported").size())
                    .isEqualTo(4);
        }
        assertThat(talk.listen().status()).isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            */*               | 200
            text/*            | 200
            text/event-stream;q=0.5, application/json | 200
            application/json  | 400
            text/html         | 400""")
    void aStreamOpensForWhoeverDoesNotRuleItOut(String accept, int status) {
        try (var events = peer.session("2025-11-25", "{}").listen(accept)) {
            assertThat(events.status()).isEqualTo(status);
        }
    }

    @Test
    void aStreamOpensWithoutAccept() {
        try (var events = peer.session("2025-11-25", "{}").listen(null)) {
            assertThat(events.status()).isEqualTo(200);
        }
    }

    @Test
    void aByteOrderMarkIsSkipped() {
        assertThat(peer.session("2025-11-25", "{}").post("\uFEFF" + PING).statusCode())
                .isEqualTo(200);
    }

    @Test
    void batchesAreOfMarch2025Alone() {
        var batch = "[%s, {'jsonrpc': '2.0', 'method': 'notifications/initialized'}, %s]"
                .formatted(PING, PING.replace("7", "'eight'").replace("ping", "tools/list"));
        var responses = RawMcpClient.json(peer.session("2025-03-26", "{}").post(batch));
        assertThat(responses.size()).isEqualTo(2);
        assertThat(responses.at("/0/id").asInt()).isEqualTo(7);
        assertThat(responses.at("/1/result/tools").isEmpty()).isFalse();
        assertThat(peer.session("2025-03-26", "{}").post("[]").statusCode()).isEqualTo(400);
        assertThat(peer.session("2025-06-18", "{}").post(batch).statusCode()).isEqualTo(400);
        assertThat(peer.post(batch.replace('\'', '"'), List.of(), BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void theLogLevelIsKept() {
        var talk = peer.session("2025-11-25", "{}");
        assertThat(logged(talk)).isEqualTo(3);
        assertThat(talk.call("logging/setLevel", "{'level': 'error'}")
                        .get("result")
                        .isEmpty())
                .isTrue();
        assertThat(logged(talk)).isZero();
        assertThat(talk.call("logging/setLevel", "{'level': 'loud'}")
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32602);
    }

    private static long logged(RawMcpClient.Session talk) {
        var body = talk.body("tools/call", "{'name': 'test_tool_with_logging'}");
        return talk.post(body)
                .body()
                .lines()
                .filter(line -> line.contains("notifications/message"))
                .count();
    }

    @Test
    void aToolAsksTheClientOnItsStreamAndGoesOnWithTheAnswer() {
        var talk = peer.session("2025-11-25", RawMcpClient.ALL);
        try (var events = talk.events("tools/call", "{'name': 'test_input_required_result_multi_round'}")) {
            answer(talk, events.next(), "{'action': 'accept', 'content': {'name': 'Ada'}}");
            answer(talk, events.next(), "{'action': 'accept', 'content': {'color': 'blue'}}");
            assertThat(text(events.next())).isEqualTo("Ada likes blue");
        }
    }

    private static void answer(RawMcpClient.Session talk, JsonNode question, String result) {
        assertThat(question.get("method").asString()).isEqualTo("elicitation/create");
        var response = "{'jsonrpc': '2.0', 'id': %s, 'result': %s}".formatted(question.get("id"), result);
        assertThat(talk.post(response).statusCode()).isEqualTo(202);
    }

    @Test
    void whoIsAskedHasRoomToAnswer() {
        var roomForOneAnswer = 72L << 20;
        try (var small = new SampleServer(Fixtures.offer(), roomForOneAnswer)) {
            var talk =
                    new RawMcpClient(small.url("/mcp").toString(), small.key).session("2025-11-25", RawMcpClient.ALL);
            var call = "{'name': 'test_elicitation', 'arguments': {'message': 'who?'}}";
            try (var first = talk.events("tools/call", call);
                    var second = talk.events("tools/call", call)) {
                for (var events : List.of(first, second)) {
                    answer(
                            talk,
                            events.next(),
                            "{'action': 'accept', 'content': {'username': 'ada', 'email': 'a@b.c'}}");
                    assertThat(text(events.next())).contains("ada");
                }
            }
        }
    }

    @Test
    void aClientThatRefusesToAnswerGetsAnError() {
        var talk = peer.session("2025-11-25", RawMcpClient.ALL);
        try (var events = talk.events("tools/call", "{'name': 'test_sampling', 'arguments': {'prompt': 'x'}}")) {
            var id = events.next().get("id");
            talk.post("{'jsonrpc': '2.0', 'id': %s, 'error': {'code': -1, 'message': 'no'}}".formatted(id));
            assertThat(events.next().at("/error/code").asInt()).isEqualTo(-32600);
        }
    }

    @Test
    void aClientThatCannotAnswerIsNotAsked() {
        var talk = peer.session("2025-11-25", "{}");
        var error = talk.call("tools/call", "{'name': 'test_sampling', 'arguments': {'prompt': 'x'}}");
        assertThat(error.at("/error/message").asString()).contains("sampling");
    }

    @Test
    void aSessionIsNotAskedByAMethodThatItsRevisionDoesNotHave() {
        var talk = peer.session("2025-03-26", RawMcpClient.ALL);
        var error = talk.call("tools/call", "{'name': 'test_input_required_result_multi_round'}");
        assertThat(error.at("/error/message").asString()).contains("elicitation");
    }

    @Test
    void whatIsNotThereHasTheCodeOfItsEra() {
        var talk = peer.session("2025-11-25", "{}");
        assertThat(talk.call("resources/read", "{'uri': 'test://none'}")
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32002);
        assertThat(talk.call("resources/subscribe", "{'uri': 'test://none'}")
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32002);
        var unknown = talk.post(talk.body("server/discover", "{}"));
        assertThat(unknown.statusCode()).isEqualTo(200);
        assertThat(RawMcpClient.json(unknown).at("/error/code").asInt()).isEqualTo(-32601);
    }

    @Test
    void resultsHaveNothingOfLaterRevisions() {
        var result = peer.session("2025-06-18", "{}").call("tools/list", "{}").get("result");
        assertThat(result.propertyNames()).containsExactly("tools");
    }

    @Test
    void aCancelledRequestIsNotAnswered() {
        var talk = peer.session("2025-11-25", "{}");
        var body = talk.body("tools/call", "{'name': 'test_slow'}");
        var id = RawMcpClient.json(body).get("id");
        try (var events = talk.start(body)) {
            events.next("notifications/message");
            talk.post("{'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': %s}}"
                    .formatted(id));
            await().until(events::ended);
            assertThat(events.rest()).isEmpty();
        }
    }

    private static String text(JsonNode message) {
        return message.at("/result/content/0/text").asString("");
    }
}
