package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Health probes while no virtual thread can run. */
class ProbeTest {
    private static String probe(String request) {
        var at = URI.create(TestServer.url());
        try (var socket = new Socket(at.getHost(), at.getPort())) {
            socket.setSoTimeout(120_000);
            socket.getOutputStream()
                    .write((request + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Keeps every carrier thread busy until the returned flag is set. */
    private static AtomicBoolean busy() throws InterruptedException {
        var carriers = Runtime.getRuntime().availableProcessors();
        var busy = new CountDownLatch(carriers);
        var over = new AtomicBoolean();
        IntStream.range(0, 4 * carriers)
                .forEach(_ -> Thread.ofVirtual().start(() -> {
                    busy.countDown();
                    while (!over.get()) {
                        Thread.onSpinWait();
                    }
                }));
        busy.await();
        return over;
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST"})
    void nobodyHoldsTheirThreadsByABodyThatDoesNotCome(String method) throws Exception {
        probe("GET /api/health/ready");
        var over = busy();
        var sockets = new ArrayList<Socket>();
        try {
            for (var i = 0; i < 20; i++) {
                var at = URI.create(TestServer.url());
                var socket = new Socket(at.getHost(), at.getPort());
                sockets.add(socket);
                socket.getOutputStream()
                        .write("GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                socket.setSoTimeout(120_000);
                var answer = new StringBuilder();
                while (!answer.toString().endsWith("}")) {
                    answer.append((char) socket.getInputStream().read());
                }
                socket.getOutputStream()
                        .write("%s /api/health/live HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"
                                .formatted(method)
                                .getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(probe("GET /api/health/live")).startsWith("HTTP/1.1 200 ");
            for (var socket : sockets) {
                assertThat(socket.getInputStream().available()).isZero(); // They needed a carrier; the probe did not.
            }
        } finally {
            over.set(true);
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void theyAreAnsweredWhileEveryCarrierIsBusy() throws Exception {
        probe("GET /api/health/ready");
        var over = busy();
        var others = new ArrayList<Socket>();
        try {
            // A request after a probe on the same connection waits for a carrier, and
            // holds none of the probes' threads.
            for (var i = 0; i < 20; i++) {
                var at = URI.create(TestServer.url());
                var socket = new Socket(at.getHost(), at.getPort());
                others.add(socket);
                socket.getOutputStream()
                        .write(
                                "GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api/config HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
            }
            for (var path : new String[] {"/api/health/live", "/api/health/ready", "/api/health"}) {
                assertThat(probe("GET " + path))
                        .startsWith("HTTP/1.1 200 ")
                        .contains("X-Request-Id: ", "\"status\":\"ok\"");
            }
            assertThat(probe("HEAD /api/health/live")).startsWith("HTTP/1.1 200 ");
        } finally {
            over.set(true);
        }
        for (var socket : others) {
            try (socket) {
                socket.setSoTimeout(120_000);
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .containsSubsequence("HTTP/1.1 200 ", "\"status\":\"ok\"", "HTTP/1.1 200 ", "contract");
            }
        }
    }

    /** Also from the same address. */
    @Test
    void whoAsksForHealthEndlesslyIsRefusedAndProbesAreNot() throws Exception {
        try (var log = new CapturedLog()) {
            var request = "GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
            var at = URI.create(TestServer.url());
            try (var socket = new Socket(at.getHost(), at.getPort())) {
                socket.setSoTimeout(120_000);
                var sent = Thread.ofVirtual().start(() -> {
                    try {
                        socket.getOutputStream().write(request.repeat(20_000).getBytes(StandardCharsets.US_ASCII));
                    } catch (IOException e) {
                        // The engine closed the connection.
                    }
                });
                assertThat(refused(socket)).isTrue();
                sent.join();
            }
            for (var i = 0; i < 20; i++) {
                assertThat(probe("GET /api/health/live")).startsWith("HTTP/1.1 200 ");
            }
            var lines = log.requests().stream()
                    .filter(line -> "/api/health/live".equals(line.get("path")))
                    .toList();
            assertThat(lines).hasSizeLessThan(100);
            await().until(() -> log.text().contains("requests="));
        }
    }

    private static boolean refused(Socket socket) {
        var answers = new StringBuilder();
        var buffer = new byte[8_192];
        try {
            for (var n = 0; n >= 0; n = socket.getInputStream().read(buffer)) {
                answers.append(new String(buffer, 0, n, StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            // The rest of the requests was not read.
        }
        return answers.toString().contains("HTTP/1.1 429 ");
    }
}
