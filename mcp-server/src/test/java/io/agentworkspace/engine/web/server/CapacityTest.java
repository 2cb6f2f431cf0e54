package io.agentworkspace.engine.web.server;

import static io.agentworkspace.engine.web.server.SampleServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.http.FairShare;
import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CapacityTest {
    private static final long HEAP = 256 << 20;
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":\"one\",\"method\":\"ping\"}";

    private static Problem refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        var thrown = new Problem[1];
        assertThatThrownBy(call).isInstanceOfSatisfying(Problem.class, problem -> thrown[0] = problem);
        return thrown[0];
    }

    /** Returns the only caller of a tenant. */
    private static Owner of(long tenant) {
        return new Owner(tenant, "a");
    }

    @Test
    void aCallerHasAThirdAndAllTogetherHaveAll() {
        var share = new FairShare("much", 9);
        var first = share.take(of(1), 3);
        assertThat(refused(() -> share.take(of(1), 1)).failure()).isEqualTo(Failure.RATE_LIMITED);
        share.take(of(2), 3);
        share.take(of(3), 2);
        var all = refused(() -> share.take(of(4), 2));
        assertThat(all.failure()).isEqualTo(Failure.UNAVAILABLE);
        assertThat(all.retryAfter()).isPositive();
        share.take(of(4), 1);
        first.shrink(1);
        share.take(of(1), 2).close();
        first.close();
        first.close();
        assertThat(share.free()).isEqualTo(3);
        assertThat(share.take(of(5), 1_000)).isNotNull();
        assertThat(share.free()).isZero();
    }

    @Test
    void theKeysOfATenantHaveTwoThirds() {
        var share = new FairShare("much", 9);
        var first = share.take(new Owner(1, "a"), 3);
        share.take(new Owner(1, "b"), 2);
        var tooMuch = new Owner(1, "c");
        assertThat(refused(() -> share.take(tooMuch, 2)).failure()).isEqualTo(Failure.RATE_LIMITED);
        assertThat(share.free()).isEqualTo(4);
        share.take(of(2), 3).close();
        first.close();
        share.take(tooMuch, 3).close();
    }

    @Test
    void whatIsGivenBackIsNotTakenAgain() {
        var share = new FairShare("much", 3);
        var part = share.take(of(1), 1);
        part.close();
        part.grow(1);
        assertThat(share.free()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/mcp", "/api/me"})
    void aBodyThatDoesNotComeIsGivenUp(String path) throws Exception {
        var capacity = new Capacity(HEAP, Duration.ofMillis(300), Duration.ofSeconds(10), System::nanoTime);
        var free = capacity.free();
        try (var server = new SampleServer(capacity)) {
            var head = "POST %s HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\n"
                    .formatted(path, server.key);
            for (var rest :
                    new String[] {"Content-Length: 1000000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"}) {
                assertThat(server.raw(head + rest))
                        .startsWith("HTTP/1.1 400 ")
                        .contains("did not arrive")
                        .contains("Connection: close");
            }
            await().until(() -> capacity.free() == free);
        }
    }

    @Test
    void bodiesBeyondTheShareAreRefusedUnreadWithTheIdOfTheMessage() throws Exception {
        var capacity = new Capacity(HEAP, Duration.ofMinutes(1), Duration.ofSeconds(10), System::nanoTime);
        var free = capacity.free();
        try (var server = new SampleServer(capacity);
                var first = hold(server);
                var second = hold(server)) {
            await().until(() -> capacity.free() < free - 20_000);
            var refused = server.mcp(PING + " ".repeat(900_000));
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(json(refused).at("/error/code").asInt()).isEqualTo(4001);
            assertThat(server.mcp(PING).statusCode()).isEqualTo(200);
            assertThat(first.isClosed() || second.isClosed()).isFalse();
        }
        await().until(() -> capacity.free() == free);
    }

    private static Socket hold(SampleServer server) throws IOException {
        var socket = new Socket("127.0.0.1", server.port());
        var head =
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"
                        .formatted(server.key);
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    void nothingStaysTakenWhateverIsAnswered() {
        var capacity = new Capacity(HEAP, Duration.ofMinutes(1), Duration.ofSeconds(10), System::nanoTime);
        var free = capacity.free();
        try (var server = new SampleServer(capacity)) {
            server.mcp(PING);
            server.mcp("nonsense");
            server.mcp("x".repeat(2_000_000));
            server.get("/nowhere", "X-Api-Key", server.key);
            server.get("/mcp-hub");
            server.get("/api/me", "X-Api-Key", server.key);
            await().until(() -> capacity.free() == free);
        }
    }
}
