package io.agentworkspace.engine.mcp.endpoint;

import static io.agentworkspace.engine.web.server.SampleServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.wire.SendsAnything;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SendsAnything
class HostileBodiesTest {
    private static final String PING = "{\"jsonrpc\": \"2.0\", \"id\": %s, \"method\": \"ping\"}";

    private static SampleServer server;

    @BeforeAll
    static void start() {
        server = new SampleServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"1\"", "\"\"", "0", "-7", "17", "123456789012345678901234567890", "\"käse\""})
    void idsThatAreStringsOrIntegersComeBackAsTheyWere(String id) {
        var response = server.mcp(PING.formatted(id));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("\"id\":" + id + ",");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "1.5", "1.0", "1e3", "true", "{}", "[]", "[1]"})
    void otherIdsAreInvalidRequests(String id) {
        assertRefused(server.mcp(PING.formatted(id)), -32600, "id must be");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "7",
                "\"x\"",
                "null",
                "true",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}",
                "\uFEFF{}"
            })
    void whatIsNoMessageIsAnInvalidRequest(String body) {
        assertRefused(server.mcp(body), -32600, "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}",
                "{\"id\": 1, \"method\": \"ping\"}",
                "{\"jsonrpc\": 2.0, \"id\": 1, \"method\": \"ping\"}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 7}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \" \"}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"params\": []}",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"params\": 7}"
            })
    void anInvalidRequestIsAnsweredWithItsId(String body) {
        var response = server.mcp(body);
        assertThat(json(response).path("id").asInt(0)).isEqualTo(1);
        assertError(response, -32600, "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]", "[1, 2]"})
    void batchesAreRefused(String body) {
        assertRefused(server.mcp(body), -32600, "batches are not supported");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{\"jsonrpc\": \"2.0\",}",
                "{} {}",
                "{\"a\": 1} x",
                "{'a': 1}",
                "{\"a\": NaN}",
                "\u0000"
            })
    void whatIsNoJsonIsAParseError(String body) {
        assertRefused(server.mcp(body), -32700, "");
    }

    @Test
    void aKeyThatComesTwiceIsAParseError() {
        assertRefused(
                server.mcp("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"id\": 2}"),
                -32700,
                "comes twice");
    }

    @Test
    void invalidUtf8IsAParseError() {
        for (var hex : List.of("22c32822", "fffe7b00", "22eda08022")) {
            assertRefused(post(HexFormat.of().parseHex(hex)), -32700, "UTF-8");
        }
    }

    @Test
    void aHundredThousandLevelsAreRefusedAndSixtyFourAreNot() {
        assertRefused(server.mcp("[".repeat(100_000)), -32700, "64 levels");
        assertRefused(server.mcp("{\"a\":".repeat(100_000)), -32700, "64 levels");
        var deepest = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"params\": {\"a\": %s}}";
        assertThat(server.mcp(deepest.formatted("[".repeat(62) + "]".repeat(62)))
                        .statusCode())
                .isEqualTo(200);
        assertRefused(server.mcp(deepest.formatted("[".repeat(63) + "]".repeat(63))), -32700, "64 levels");
    }

    @Test
    void hugeNumbersAndNamesAreRefusedQuickly() {
        assertRefused(server.mcp(PING.formatted("1".repeat(900_000))), -32700, "");
        assertRefused(server.mcp("{\"" + "n".repeat(900_000) + "\": 1}"), -32700, "");
    }

    @Test
    void aBodyOfTheLimitIsReadAndOneByteMoreIsTooLarge() {
        var body = PING.formatted("1");
        assertThat(server.mcp(body + " ".repeat(RequestContext.MAX_BODY - body.length()))
                        .statusCode())
                .isEqualTo(200);
        assertTooLarge(server.mcp(body + " ".repeat(RequestContext.MAX_BODY - body.length() + 1)));
    }

    @Test
    void twoMegabytesAreTooLargeWhetherAnnouncedOrChunked() {
        var big = "x".repeat(2_000_000).getBytes(StandardCharsets.US_ASCII);
        assertTooLarge(post(big));
        assertTooLarge(server.send(
                "/mcp",
                request -> request.POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(big)))
                        .header("Content-Type", "application/json")
                        .header("X-Api-Key", server.key)));
    }

    @Test
    void aClientThatWaitsToBeAskedHearsOfTheLimitAtOnce() {
        var answer = server.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-Api-Key: "
                + server.key + "\r\nContent-Length: 999999999\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 413 ");
    }

    @Test
    void aBrokenChunkIsABadRequest() {
        var answer = server.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-Api-Key: "
                + server.key + "\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n{}\r\n0\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 400 ").doesNotContain("Exception");
    }

    private static void assertTooLarge(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(json(response).at("/error/data/internal_code").asInt()).isEqualTo(1005);
    }

    private static void assertRefused(HttpResponse<String> response, int code, String words) {
        assertThat(json(response).has("id")).isFalse();
        assertError(response, code, words);
    }

    private static void assertError(HttpResponse<String> response, int code, String words) {
        assertThat(response.statusCode()).isEqualTo(400);
        var error = json(response);
        assertThat(error.at("/error/code").asInt()).isEqualTo(code);
        assertThat(error.at("/error/message").asString()).contains(words).hasSizeLessThan(400);
    }

    private static HttpResponse<String> post(byte[] body) {
        return server.send(
                "/mcp",
                request -> request.POST(BodyPublishers.ofByteArray(body))
                        .header("Content-Type", "application/json")
                        .header("X-Api-Key", server.key));
    }
}
