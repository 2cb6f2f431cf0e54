package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.HaProxy;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two replicas behind a real HAProxy are restarted one after the other, while callers go on. */
@Tag("slow")
class RollingRestartTest {
    private static final int CALLERS = 6;
    private static final Pattern BACKEND =
            Pattern.compile("(?s)```haproxy\\n(backend engine\\n.*?)\\n +server [^`]*```");

    @TempDir
    private static Path folder;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger done = new AtomicInteger();

    @Test
    void noCallFails() throws Exception {
        var ports = List.of(LoopbackPort.free(), LoopbackPort.free());
        var documented = BACKEND.matcher(Repository.text(Repository.file("docs/replicas.md")));
        assertThat(documented.find()).isTrue();
        var key = new TestTenant().key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        var over = new AtomicBoolean();
        try (var proxy = HaProxy.start(documented.group(1), ports)) {
            var replicas = ports.stream().map(RollingRestartTest::start).toArray(EngineProcess[]::new);
            await().until(() -> call(proxy.url(), key).isEmpty());
            var callers = IntStream.range(0, CALLERS)
                    .mapToObj(_ -> Thread.ofVirtual().start(() -> callUntil(over, proxy.url(), key)))
                    .toList();
            for (var i = 0; i < replicas.length; i++) {
                awaitCalls();
                assertThat(replicas[i].stop()).isZero();
                awaitCalls();
                replicas[i] = start(ports.get(i));
                var name = "replica-" + ports.get(i);
                await().until(() -> post(proxy.url(), key).headers().allValues("X-Replica"), List.of(name)::equals);
            }
            awaitCalls();
            over.set(true);
            for (var caller : callers) {
                caller.join();
            }
            for (var replica : replicas) {
                replica.close();
            }
        } finally {
            over.set(true);
        }
        assertThat(failures).as("of %d calls", done.get()).isEmpty();
    }

    private static EngineProcess start(int port) {
        var data = folder.resolve(Integer.toString(port));
        try {
            Files.createDirectories(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return EngineProcess.start(
                data,
                Map.of(
                        "ENGINE_PORT",
                        Integer.toString(port),
                        "ENGINE_DRAIN_SECONDS",
                        "3",
                        "ENGINE_DATABASE_URL",
                        TestDatabase.url(),
                        "ENGINE_SECRETS_KEY",
                        TestDatabase.SECRETS_KEY,
                        "ENGINE_EMBEDDING",
                        "off"));
    }

    /** Waits until some more calls have ended. */
    private void awaitCalls() {
        var before = done.get();
        await().until(() -> done.get() > before + 10 * CALLERS);
    }

    private void callUntil(AtomicBoolean over, String url, String key) {
        while (!over.get()) {
            var failure = call(url, key);
            if (!failure.isEmpty()) {
                failures.add(failure);
            }
            done.incrementAndGet();
        }
    }

    /** Returns what was wrong with a call; empty if nothing was. */
    private String call(String url, String key) {
        try {
            var response = post(url, key);
            return response.statusCode() == 200 ? "" : response.statusCode() + " " + response.body();
        } catch (IOException | InterruptedException e) {
            return e.toString();
        }
    }

    /** Makes a call that changes something, which no proxy may repeat. */
    private HttpResponse<String> post(String url, String key) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(url + ClientApi.path("AP_Create")))
                        .header("X-Api-Key", key)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(
                                "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(UUID.randomUUID())))
                        .build(),
                BodyHandlers.ofString());
    }
}
