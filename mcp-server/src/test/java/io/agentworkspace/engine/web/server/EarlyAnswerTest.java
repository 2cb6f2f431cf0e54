package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are refused while their body is still being sent. */
class EarlyAnswerTest {
    private static final String BODY = "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"ping\"}";

    @ParameterizedTest
    @ValueSource(strings = {"POST /mcp HTTP/1.1", "POST /nowhere HTTP/1.1", "PUT /mcp HTTP/1.1"})
    void theConnectionGoesOnToBeUsed(String line) throws Exception {
        try (var server = new SampleServer()) {
            var key = line.startsWith("PUT") ? "X-Api-Key: " + server.key + "\r\n" : "";
            var answers = conversation(
                    server,
                    line + "\r\nHost: localhost\r\n" + key + "Content-Type: application/json\r\nContent-Length: "
                            + BODY.length() + "\r\n\r\n",
                    BODY,
                    "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertThat(answers)
                    .startsWith("HTTP/1.1 4")
                    .contains("HTTP/1.1 200 ")
                    .containsOnlyOnce("Connection: close");
        }
    }

    @Test
    void aBodyWithoutEndIsNotWaitedForAndTheConnectionSaidToClose() throws Exception {
        try (var server = new SampleServer()) {
            var answers = conversation(
                    server,
                    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n",
                    "x".repeat(9 << 20));
            assertThat(answers).startsWith("HTTP/1.1 401 ").contains("Connection: close");
        }
    }

    /** Sends the parts one by one with pauses, and reads until the server closes the connection. */
    private static String conversation(SampleServer server, String... parts) throws IOException {
        try (var socket = new Socket("127.0.0.1", server.port())) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(60_000);
            Thread.ofVirtual().start(() -> send(socket, parts));
            var answers = new ByteArrayOutputStream();
            try {
                socket.getInputStream().transferTo(answers);
            } catch (SocketException e) {
                // The server may close the connection without reading the rest.
            }
            return answers.toString(StandardCharsets.UTF_8);
        }
    }

    private static void send(Socket socket, String... parts) {
        try {
            for (var part : parts) {
                socket.getOutputStream().write(part.getBytes(StandardCharsets.US_ASCII));
                Thread.sleep(150);
            }
        } catch (IOException | InterruptedException e) {
            // The server has responded and closed the connection early.
        }
    }
}
