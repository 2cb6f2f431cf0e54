package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.tool.RequestContext;
import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonBodyTest {
    private static final String CHAT = "/demo/v1/Engine/tps/agent/chat";
    private static final String INVOKE = "/api/mcp/tools/AP_Chat/invoke";
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static byte[] bodyOf(int length) {
        var head = "{\"content\":\"x\",\"padding\":\"";
        return (head + "p".repeat(length - head.length() - 2) + "\"}").getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aBodyOfOneMebibyteIsReadAndOneByteMoreIsNot() throws Exception {
        assertThat(server.post(CHAT, BodyPublishers.ofByteArray(bodyOf(RequestContext.MAX_BODY)))
                        .status())
                .isEqualTo(200);
        assertThat(server.post(CHAT, BodyPublishers.ofByteArray(bodyOf(RequestContext.MAX_BODY + 1)))
                        .refusal())
                .isEqualTo("400 1005 too_large");
    }

    @Test
    void theLimitHoldsForChunkedBodiesToo() throws Exception {
        assertThat(server.post(CHAT, chunked(RequestContext.MAX_BODY)).status()).isEqualTo(200);
        var got = server.post(CHAT, chunked(RequestContext.MAX_BODY + 1));
        assertThat(got.refusal()).isEqualTo("400 1005 too_large");
        assertThat(got.note()).isEqualTo("the body is too large; at most 1,048,576 bytes are allowed");
    }

    private static java.net.http.HttpRequest.BodyPublisher chunked(int length) {
        return BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bodyOf(length)));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8})
    void whoSendsFarTooMuchGetsToSeeWhy(int mebibytes) throws Exception {
        assertThat(server.post(CHAT, BodyPublishers.ofByteArray(bodyOf(mebibytes << 20)))
                        .refusal())
                .isEqualTo("400 1005 too_large");
        assertThat(server.post(CHAT, chunked(mebibytes << 20)).refusal()).isEqualTo("400 1005 too_large");
        assertThat(server.post(INVOKE, chunked(mebibytes << 20)).problem()).isEqualTo("413 too_large");
    }

    @Test
    void whoAsksBeforeSendingTooMuchIsToldAtOnce() throws Exception {
        var answer = raw("POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nX-Api-Key: member\r\n"
                + "Content-Type: application/json\r\nContent-Length: 5000000\r\nExpect: 100-continue\r\n"
                + "Connection: close\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 400").contains("too_large");
    }

    @Test
    void brokenChunksAreRefused() throws Exception {
        var answer = raw("POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nX-Api-Key: member\r\n"
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 400").contains("the body ended too early; send the whole body");
    }

    private static String raw(String request) throws Exception {
        try (var socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[]",
                "7",
                "null",
                "\"text\"",
                "{\"content\":\"a\",\"content\":\"b\"}",
                "{\"content\":\"a\"} trailing",
                "{'content':'a'}",
                "{\"content\":NaN}",
                "{\"content\":\"\u0000\"}"
            })
    void whatIsNoJsonObjectIsMalformed(String body) throws Exception {
        assertThat(server.post(CHAT, body).refusal()).isEqualTo("400 1001 malformed_json");
        assertThat(server.post(INVOKE, body).problem()).isEqualTo("400 malformed_json");
    }

    @Test
    void anEmptyBodyIsToldWhatToSend() throws Exception {
        assertThat(server.post(CHAT, "").refusal()).isEqualTo("400 1001 malformed_json");
        assertThat(server.post(CHAT, " \r\n").note()).isEqualTo("the body is empty; send a JSON object, at least {}");
        assertThat(server.post("/demo/v1/Engine/tps", "").note()).contains("{\"service\":\"…\"}");
        assertThat(server.post(INVOKE, "").problem()).isEqualTo("400 malformed_json");
        assertThat(server.send(server.to(CHAT).POST(BodyPublishers.noBody())).note())
                .contains("the body is empty");
    }

    @Test
    void aHundredThousandLevelsAreTooDeep() throws Exception {
        var deep = "{\"content\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";

        var got = server.post(CHAT, deep);

        assertThat(got.refusal()).isEqualTo("400 1001 malformed_json");
        assertThat(got.note()).contains("nested more than 64 levels deep");
    }

    @Test
    void otherEncodingsAreRefused() throws Exception {
        var broken = "{\"content\":\"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(server.post(CHAT, BodyPublishers.ofByteArray(broken)).note())
                .isEqualTo("the body is not valid UTF-8; send it as JSON in UTF-8");

        var utf16 = "{\"content\":\"x\"}".getBytes(StandardCharsets.UTF_16LE);
        assertThat(server.post(CHAT, BodyPublishers.ofByteArray(utf16)).refusal())
                .isEqualTo("400 1001 malformed_json");
    }

    @Test
    void nulCharactersInTextsAreRefused() throws Exception {
        var got = server.post(CHAT, "{\"content\":\"a\\u0000b\"}");

        assertThat(got.refusal()).isEqualTo("400 1004 invalid_field");
        assertThat(got.note()).contains("content must not contain NUL");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/x-www-form-urlencoded",
                "application/json; charset=latin1",
                "nonsense",
                "a/b/c"
            })
    void theContentTypeMustBeJson(String type) throws Exception {
        var command = server.send(
                server.to(CHAT).header("Content-Type", type).POST(BodyPublishers.ofString("{\"content\":\"x\"}")));
        var invoke = server.send(
                server.to(INVOKE).header("Content-Type", type).POST(BodyPublishers.ofString("{\"content\":\"x\"}")));

        assertThat(command.refusal()).isEqualTo("400 1001 malformed_json");
        assertThat(command.note()).contains("Content-Type must be application/json", type);
        assertThat(invoke.problem()).isEqualTo("415 unsupported_media_type");
    }

    @Test
    void theContentTypeMustBeThere() throws Exception {
        var got = server.send(server.to(CHAT).POST(BodyPublishers.ofString("{\"content\":\"x\"}")));

        assertThat(got.refusal()).isEqualTo("400 1001 malformed_json");
        assertThat(got.note()).contains("not absent");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json;charset=utf-8", "Application/JSON; charset=\"UTF-8\""})
    void jsonInUtf8MaySaySo(String type) throws Exception {
        assertThat(server.send(server.to(CHAT)
                                .header("Content-Type", type)
                                .POST(BodyPublishers.ofString("{\"content\":\"\u00e9\"}")))
                        .at("/heard"))
                .isEqualTo("\u00e9");
    }
}
