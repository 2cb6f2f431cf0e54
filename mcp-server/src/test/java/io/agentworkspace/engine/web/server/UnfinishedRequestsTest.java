package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.http.TrustedProxies;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.web.connections.ConnectionTable.Limits;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections whose requests do not arrive whole. */
class UnfinishedRequestsTest {
    private static final String HEALTH = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n";
    private static final Duration LONG = Duration.ofHours(1);

    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
    }

    private static WebServer server(int connections, Duration headerTime) throws IOException {
        var limits = new Limits(connections, 1 << 30, headerTime, LONG);
        var server = WebServer.bind("127.0.0.1", 0, WebServer.GRACE, limits, new TrustedProxies(Set.of()));
        server.serve(new SampleRest(), new RefusalWriter(Clock.systemUTC()));
        return server;
    }

    private Socket send(WebServer server, String text) throws IOException {
        var socket = new Socket("127.0.0.1", server.port());
        sockets.add(socket);
        socket.setSoTimeout((int) HangLimit.TIME.toMillis());
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private static String answer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }

    private static boolean isClosed(Socket socket) {
        try {
            while (socket.getInputStream().read() >= 0) {}
            return true;
        } catch (IOException e) {
            return !(e instanceof java.net.SocketTimeoutException);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"G", "GET /api/health HTTP/1.1\r\nHost: loc", HEALTH, HEALTH + "\r\n" + HEALTH, "a:\r\n"})
    void theirHeadersHaveADeadline(String text) throws IOException {
        try (var server = server(100, Duration.ZERO)) {
            assertThat(isClosed(send(server, text))).isTrue();
        }
    }

    @Test
    void aByteNowAndThenDoesNotMoveTheDeadline() throws Exception {
        try (var server = server(100, Duration.ZERO)) {
            var socket = send(server, HEALTH);
            await().until(() -> {
                try {
                    socket.getOutputStream().write("a:\r\n".getBytes(StandardCharsets.US_ASCII));
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
        }
    }

    @Test
    void aConnectionThatIsSilentBetweenRequestsStaysOpen() throws IOException {
        try (var server = server(100, Duration.ZERO)) {
            var silent = send(server, "");
            var between = send(server, HEALTH + "\r\n");
            assertThat(answer(between)).isEqualTo("HTTP/1.1 200");
            assertThat(isClosed(send(server, HEALTH))).isTrue(); // The deadline was checked.
            for (var socket : List.of(silent, between)) {
                socket.getOutputStream()
                        .write((HEALTH + "Connection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                assertThat(isClosed(socket)).isTrue();
            }
        }
    }

    /** TLS hellos, requests without an end, a second request behind a whole one, and connections that send nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"\u0016\u0003\u0001\u0002\u0000\u0001", "", "P", HEALTH, HEALTH + "\r\n" + HEALTH})
    void theOldestGivesWayToWholeRequests(String text) throws IOException {
        try (var server = server(16, LONG)) {
            for (var i = 0; i < 50; i++) {
                send(server, text);
                assertThat(server.connections()).isLessThanOrEqualTo(16);
                if (i % 10 == 9) {
                    var probe = send(server, HEALTH + "\r\n");
                    assertThat(answer(probe)).isEqualTo("HTTP/1.1 200");
                }
            }
        }
    }

    @Test
    void theConnectionsOfClientsThatHaveGoneAreForgotten() throws IOException {
        try (var server = server(100, LONG)) {
            for (var text : List.of("", "G", HEALTH, HEALTH + "\r\n", "nonsense\r\n\r\n")) {
                send(server, text);
            }
            close();
            await().until(() -> server.connections() == 0);
        }
    }
}
