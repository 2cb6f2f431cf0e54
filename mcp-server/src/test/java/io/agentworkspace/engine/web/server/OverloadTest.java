package io.agentworkspace.engine.web.server;

import static io.agentworkspace.engine.web.server.SampleServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** More requests of one key come than are served. The test serves them, by a clock that only the test moves. */
class OverloadTest {
    private static final long HEAP = 256 << 20;
    /** With this heap, three requests of a key run at once. */
    private static final int RUNNING = 3;

    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":\"one\",\"method\":\"ping\"}";
    private static final Duration EACH = Duration.ofMillis(100);

    private final AtomicLong clock = new AtomicLong();
    private final Capacity capacity = new Capacity(HEAP, Duration.ofMinutes(1), Duration.ofSeconds(10), clock::get);
    private final List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();

    @Test
    void aKeyThatSendsMoreThanIsServedIsRefusedAtOnceAndOthersAreNot() {
        try (var server = new SampleServer(capacity)) {
            var waiting = 70;
            flood(server, waiting);
            serve(3, waiting);

            var refused = server.mcp(PING);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After"))
                    .as("68 times a tenth of a second")
                    .hasValue("7");
            assertThat(json(refused).at("/error/code").asInt()).isEqualTo(4001);
            assertThat(json(refused).at("/id").asString()).isEqualTo("one");

            var route = server.get("/api/me", "X-Api-Key", server.key);
            assertThat(route.statusCode()).isEqualTo(429);
            assertThat(route.headers().firstValue("Retry-After")).hasValue("7");
            assertThat(json(route).at("/error").asString()).isEqualTo("rate_limited");

            var command = command(server, server.key);
            assertThat(command.statusCode()).isEqualTo(429);
            assertThat(command.headers().firstValue("Retry-After")).hasValue("7");
            assertThat(json(command).at("/status/internal_code").asInt()).isEqualTo(4001);

            var other = server.keys.addToAnother();
            assertThat(server.get("/api/me", "X-Api-Key", other).statusCode()).isEqualTo(200);
            assertThat(command(server, other).statusCode()).isEqualTo(200);
            end(waiting);
        }
    }

    @Test
    void aClientThatSaysHowLongItWaitsIsRefusedIfThatIsNotEnough() {
        try (var server = new SampleServer(capacity)) {
            var waiting = 30;
            flood(server, waiting);
            serve(10, waiting);

            var refused = server.get("/api/me", "X-Api-Key", server.key, "Prefer", "respond-async, wait=2");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("3");
            send(() -> server.get("/api/me", "X-Api-Key", server.key, "Prefer", "wait=3"));
            await().until(() -> capacity.waiting() == waiting - 10 + 1);
            end(waiting);
        }
    }

    /** Sends this many requests more than run at once. */
    private void flood(SampleServer server, int waiting) {
        var before = SampleRest.SLOW.get();
        for (var i = 0; i < RUNNING + waiting; i++) {
            send(() -> server.get("/api/slow", "X-Api-Key", server.key));
        }
        await().until(() -> SampleRest.SLOW.get() == before + RUNNING && capacity.waiting() == waiting);
    }

    private void send(Supplier<HttpResponse<String>> request) {
        sent.add(CompletableFuture.supplyAsync(request, Thread::startVirtualThread));
    }

    /** Serves some of those that wait, one after the other. */
    private void serve(int count, int waiting) {
        for (var i = 1; i <= count; i++) {
            var left = waiting - i;
            clock.addAndGet(EACH.toNanos());
            SampleRest.RELEASED.release();
            await().until(() -> capacity.waiting() == left);
        }
    }

    /** Serves all that have not been served, and checks that nothing else was refused. */
    private void end(int waiting) {
        SampleRest.RELEASED.release(RUNNING + waiting);
        assertThat(sent).allSatisfy(each -> assertThat(each.join().statusCode()).isEqualTo(200));
        SampleRest.RELEASED.drainPermits();
    }

    private static HttpResponse<String> command(SampleServer server, String key) {
        return server.send(
                "/demo/v1/Engine/tps",
                request -> request.POST(BodyPublishers.ofString("{}"))
                        .header("Content-Type", "application/json")
                        .header("X-Api-Key", key));
    }
}
