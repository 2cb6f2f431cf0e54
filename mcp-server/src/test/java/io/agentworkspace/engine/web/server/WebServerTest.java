package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.agentworkspace.engine.kernel.http.TrustedProxies;
import io.agentworkspace.engine.testing.HangLimit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class WebServerTest {
    private static final long HEAP = 256 << 20;
    private static SampleServer sample;

    @BeforeAll
    static void start() {
        sample = new SampleServer();
    }

    @AfterAll
    static void stop() {
        sample.close();
    }

    @Test
    void stoppingFinishesTheRequestsInFlightAndAcceptsNoMore() throws Exception {
        var server = new SampleServer();
        var before = SampleRest.SLOW.get();
        var inFlight = CompletableFuture.supplyAsync(() -> server.get("/api/slow", "X-Api-Key", server.key));
        await().until(() -> SampleRest.SLOW.get() > before);
        var stopped = CompletableFuture.runAsync(server::close);
        await().untilAsserted(() -> assertThatThrownBy(() -> new Socket("127.0.0.1", server.port()).close())
                .isInstanceOf(ConnectException.class));
        assertThat(inFlight).isNotDone();
        SampleRest.RELEASED.release();
        assertThat(inFlight.get().statusCode()).isEqualTo(200);
        stopped.get();
    }

    @Test
    void stoppingDoesNotWaitForIdleConnections() throws Exception {
        var server = WebServer.bind(
                "127.0.0.1", 0, Duration.ofHours(1), WebServer.limits(HEAP), new TrustedProxies(Set.of()));
        server.serve(new SampleRest(), new RefusalWriter(Clock.systemUTC()));
        try (var idle = new Socket("127.0.0.1", server.port())) {
            idle.getOutputStream()
                    .write("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(idle.getInputStream().readNBytes(12)).asString().isEqualTo("HTTP/1.1 200");
            assertTimeoutPreemptively(HangLimit.TIME, server::close); // Otherwise it would wait for an hour.
        }
    }

    @Test
    void aTakenPortIsToldAtOnce() {
        assertThatThrownBy(() -> WebServer.bind("127.0.0.1", sample.port())).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "GET /a%2Fb HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /\u0001 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n",
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
            })
    void whatIsNoHttpIsRefusedInOurStyle(String request) {
        assertThat(sample.raw(request.replaceFirst("\r\n\r\n$", "\r\nConnection: close\r\n\r\n")))
                .startsWith("HTTP/1.1 400 ")
                .contains("X-Request-Id: ", "nosniff")
                .containsIgnoringCase("bad_request")
                .doesNotContainIgnoringCase("jetty")
                .doesNotContain("<html", "Exception", "\tat ");
    }

    /** A proxy sends the requests of many clients over one connection. */
    @Test
    void aHeaderIsNotTakenForOneThatCameBeforeInAnotherCase() {
        var wrong = "E" + sample.key.substring(1);
        var answers = sample.raw(List.of(sample.key, wrong, sample.key, wrong.substring(0, 30), sample.key).stream()
                        .map(key -> "GET /api/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
                                .formatted(key))
                        .collect(Collectors.joining())
                + "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assertThat(Pattern.compile("HTTP/1.1 (\\d+)").matcher(answers).results().map(found -> found.group(1)))
                .containsExactly("200", "401", "200", "401", "200", "200");
    }

    @Test
    void headersOverTheLimitAreRefusedInOurStyle() {
        var big = "x".repeat(20_000);
        var header = sample.raw("GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Big: %s\r\n\r\n".formatted(big));
        assertThat(header).startsWith("HTTP/1.1 413 ").contains("too_large").doesNotContainIgnoringCase("jetty");
        var line = sample.raw("GET /%s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(big));
        assertThat(line).startsWith("HTTP/1.1 413 ").contains("too_large").doesNotContainIgnoringCase("jetty");
    }

    private static String get(WebServer server, String path) throws IOException {
        try (var socket = new Socket("127.0.0.1", server.port())) {
            socket.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .formatted(path)
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** An end counts for a client like a failure, after which it may wait for hours. */
    @Test
    void aStreamGoesOnUntilTheServerEnds() throws Exception {
        var streams = new LinkedBlockingQueue<Response>();
        var server = WebServer.bind("127.0.0.1", 0);
        server.open(Clock.systemUTC(), "1", Duration.ofHours(1));
        server.serve(
                new Handler.Abstract() {
                    @Override
                    public boolean handle(Request request, Response response, Callback callback) {
                        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
                        streams.add(response);
                        return true;
                    }
                },
                new RefusalWriter(Clock.systemUTC()));
        try (var socket = new Socket("127.0.0.1", server.port())) {
            socket.getOutputStream()
                    .write("GET /s HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            var events = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            var stream = streams.take();
            Content.Sink.write(stream, false, "data: before\n\n", Callback.NOOP);
            await().until(() -> events.readLine().equals("data: before"));
            var closing = Thread.ofPlatform().start(server::close);
            try {
                await().until(() -> get(server, "/api/health/ready").startsWith("HTTP/1.1 503 "));
                Content.Sink.write(stream, false, "data: meanwhile\n\n", Callback.NOOP);
                await().until(() -> events.readLine().equals("data: meanwhile"));
            } finally {
                closing.interrupt(); // Otherwise it would serve for an hour more.
                closing.join();
            }
            await().until(() -> events.readLine() == null);
        } finally {
            server.close();
        }
    }

    @Test
    void probesReportThatItStops() throws Exception {
        var server = WebServer.bind("127.0.0.1", 0);
        server.open(Clock.systemUTC(), "1", Duration.ofHours(1));
        server.serve(new SampleRest(), new RefusalWriter(Clock.systemUTC()));
        assertThat(get(server, "/api/health")).startsWith("HTTP/1.1 200 ").doesNotContain("stopping");
        var closing = Thread.ofPlatform().start(server::close);
        try {
            await().until(() -> get(server, "/api/health/ready").startsWith("HTTP/1.1 503 "));
            assertThat(get(server, "/api/health/ready")).contains("Retry-After: 1", "\"status\":\"stopping\"");
            assertThat(get(server, "/api/health")).startsWith("HTTP/1.1 200 ").contains("\"status\":\"stopping\"");
            assertThat(get(server, "/api/health/live")).endsWith("{\"status\":\"ok\"}");
        } finally {
            closing.interrupt(); // Otherwise it would serve for an hour more.
            closing.join();
            server.close();
        }
    }
}
