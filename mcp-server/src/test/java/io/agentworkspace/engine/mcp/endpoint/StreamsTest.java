package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.mcp.streams.StreamOpener;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.web.server.TestKeys;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

@Tag("slow")
class StreamsTest {
    private static final String TOOLS = "{'notifications': {'toolsListChanged': true}}";
    private static final String PROMPTS = "{'notifications': {'promptsListChanged': true}}";

    private static final WhileOpening WHILE_OPENING = new WhileOpening(new AtomicReference<>(() -> {}));

    private static SampleServer server;
    private static RawMcpClient peer;

    @BeforeAll
    static void start() {
        var fixtures = Fixtures.offer();
        server = new SampleServer(new ServedContent(
                fixtures.identity(),
                fixtures.instructions(),
                fixtures.tools(),
                List.of(new FixtureResources(), WHILE_OPENING),
                fixtures.prompts(),
                fixtures.extensions()));
        peer = new RawMcpClient(server.url("/mcp").toString(), server.key);
        // A server that has just begun to receive signals reports everything as changed.
        try (var events = peer.events("subscriptions/listen", TOOLS)) {
            events.next();
            await().until(() -> {
                Fixtures.change(new SubscribedChange(TestKeys.TENANT, SubscribedChange.TOOLS, List.of()));
                return events.poll(Duration.ofMillis(500)) != null;
            });
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aListenerHearsOnlyWhatItAskedFor() {
        try (var tools = peer.events("subscriptions/listen", TOOLS);
                var prompts = peer.events("subscriptions/listen", PROMPTS)) {
            var acknowledged = tools.next();
            assertThat(acknowledged.get("method").asString()).isEqualTo("notifications/subscriptions/acknowledged");
            assertThat(acknowledged.at("/params/notifications/toolsListChanged").asBoolean())
                    .isTrue();
            var id = acknowledged.at("/params/_meta/io.modelcontextprotocol~1subscriptionId");
            prompts.next();
            peer.modern("tools/call", "{'name': 'test_trigger_tool_change'}");
            var notification = tools.next();
            assertThat(notification.get("method").asString()).isEqualTo("notifications/tools/list_changed");
            assertThat(notification.at("/params/_meta/io.modelcontextprotocol~1subscriptionId"))
                    .isEqualTo(id);
            // Changes come in order, so the change of the tools would have come before that of the prompts.
            Fixtures.change(new SubscribedChange(TestKeys.TENANT, SubscribedChange.PROMPTS, List.of()));
            assertThat(prompts.next().get("method").asString()).isEqualTo("notifications/prompts/list_changed");
        }
    }

    @Test
    void aResourceIsToldUnderTheUriThatWasAskedForAndAnUnknownOneIsNotAgreedTo() {
        var filter = "{'notifications': {'resourceSubscriptions': ['test://watched-resource', 'test://none']}}";
        try (var events = peer.events("subscriptions/listen", filter)) {
            assertThat(events.next()
                            .at("/params/notifications/resourceSubscriptions")
                            .toString())
                    .isEqualTo("[\"test://watched-resource\"]");
            Fixtures.change(new SubscribedChange(TestKeys.TENANT, "fixture", List.of("test://watched-resource")));
            var update = events.next();
            assertThat(update.get("method").asString()).isEqualTo("notifications/resources/updated");
            assertThat(update.at("/params/uri").asString()).isEqualTo("test://watched-resource");
        }
    }

    @Test
    void anotherTenantsChangeIsNotTold() {
        var both = "{'notifications': {'toolsListChanged': true, 'promptsListChanged': true}}";
        try (var events = peer.events("subscriptions/listen", both)) {
            events.next();
            Fixtures.change(new SubscribedChange(TestKeys.TENANT + 1, SubscribedChange.TOOLS, List.of()));
            Fixtures.change(new SubscribedChange(TestKeys.TENANT, SubscribedChange.PROMPTS, List.of()));
            assertThat(events.next().get("method").asString()).isEqualTo("notifications/prompts/list_changed");
        }
    }

    @Test
    void aSessionHearsOfWhatItSubscribedTo() {
        var talk = peer.session("2025-11-25", "{}");
        try (var events = talk.listen()) {
            assertThat(events.status()).isEqualTo(200);
            talk.call("resources/subscribe", "{'uri': 'test://watched-resource'}");
            await().untilAsserted(() -> {
                Fixtures.change(new SubscribedChange(TestKeys.TENANT, "fixture", List.of("test://watched-resource")));
                var update = events.poll(Duration.ofMillis(300));
                assertThat(update).isNotNull();
                assertThat(update.at("/params/uri").asString()).isEqualTo("test://watched-resource");
                assertThat(update.get("params").has("_meta")).isFalse();
            });
            talk.end();
            await().until(events::ended);
        }
    }

    /** Resources that run an action while a stream looks up what to listen to. */
    private record WhileOpening(AtomicReference<Runnable> event) implements ResourceSource {
        @Override
        public ListPage list(String cursor, int limit, McpRequest turn) {
            return ListPage.whole(List.of());
        }

        @Override
        public List<ObjectNode> templates(McpRequest request) {
            return List.of();
        }

        @Override
        public Optional<MethodResult> read(String uri, McpRequest turn) {
            return Optional.empty();
        }

        @Override
        public Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest turn) {
            return Optional.empty();
        }

        @Override
        public Optional<SubscribedChange> changes(String uri, McpRequest turn) {
            if (!uri.startsWith("opening://")) {
                return Optional.empty();
            }
            event.getAndSet(() -> {}).run();
            return Optional.of(new SubscribedChange(turn.caller().tenant(), "fixture", List.of(uri)));
        }
    }

    @Test
    void aSubscriptionThatIsMadeWhileTheStreamOpensIsHeardOf() {
        var talk = peer.session("2025-11-25", "{}");
        talk.call("resources/subscribe", "{'uri': 'opening://first'}");
        WHILE_OPENING.event().set(() -> {
            talk.call("resources/subscribe", "{'uri': 'opening://second'}");
            Fixtures.pause(500);
        });
        try (var events = talk.listen()) {
            await().untilAsserted(() -> {
                Fixtures.change(new SubscribedChange(TestKeys.TENANT, "fixture", List.of("opening://second")));
                var update = events.poll(Duration.ofMillis(300));
                assertThat(update).isNotNull();
                assertThat(update.at("/params/uri").asString()).isEqualTo("opening://second");
            });
        }
    }

    @Test
    void aKeyIsLookedUpOnceInAPassHoweverManyStreamsItHas() {
        var crowd = server.keys.add(Role.OWNER, "*");
        var open = new ArrayList<Events>();
        var client = new RawMcpClient(server.url("/mcp").toString(), crowd);
        IntStream.range(0, TestDatabase.STREAMS_EACH)
                .forEach(_ -> open.add(client.events("subscriptions/listen", TOOLS)));
        var before = server.keys.lookUps(crowd);
        await().until(() -> server.keys.lookUps(crowd) >= before + 3);
        Fixtures.pause(200); // The rest of that pass.
        assertThat(server.keys.lookUps(crowd) - before).isLessThan(TestDatabase.STREAMS_EACH);
        open.forEach(Events::close);
    }

    @Test
    void aNewerStreamOfASessionTakesOver() {
        var talk = peer.session("2025-11-25", "{}");
        try (var older = talk.listen();
                var newer = talk.listen()) {
            assertThat(List.of(older.status(), newer.status())).containsOnly(200);
            await().until(older::ended);
            Fixtures.change(new SubscribedChange(TestKeys.TENANT, SubscribedChange.TOOLS, List.of()));
            assertThat(newer.next("notifications/tools/list_changed")).isNotNull();
        }
    }

    @Test
    void aClientThatHangsUpStopsTheWork() {
        var started = Fixtures.STARTED.get();
        var before = Fixtures.STOPPED.get();
        var request = peer.request("tools/call", "{'name': 'test_slow'}", "{}");
        try (var _ = send(request.toString(), RawMcpClient.mirrored(request), server.key)) {
            await().until(() -> Fixtures.STARTED.get() > started);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        await().until(() -> Fixtures.STOPPED.get() > before);
    }

    @Test
    void aStreamWithAVeryLongIdIsRefused() {
        var request = peer.request("subscriptions/listen", TOOLS, "{}").put("id", "x".repeat(1_001));
        var response = peer.send(request, RawMcpClient.mirrored(request));
        assertThat(RawMcpClient.json(response).at("/error/message").asString()).contains("at most 1,000");
    }

    @Test
    void aClientThatDoesNotReadIsCutOffAndDelaysNobody() throws IOException {
        var uris = IntStream.range(0, StreamOpener.MAX_RESOURCES)
                .mapToObj(i -> "'test://many/%04d%s'".formatted(i, "x".repeat(1_900)))
                .collect(Collectors.joining(", "));
        var key = server.keys.add(Role.OWNER, "*");
        var sleepy = new RawMcpClient(server.url("/mcp").toString(), key);
        var request = sleepy.request(
                "subscriptions/listen", "{'notifications': {'resourceSubscriptions': [%s]}}".formatted(uris), "{}");
        var others = new ArrayList<Events>();
        try (var socket = send(request.toString(), RawMcpClient.mirrored(request), key);
                var awake = peer.events("subscriptions/listen", TOOLS)) {
            awake.next();
            IntStream.range(1, TestDatabase.STREAMS_EACH)
                    .forEach(_ -> others.add(sleepy.events("subscriptions/listen", PROMPTS)));
            // Changes in quick succession are merged, so it takes many to fill the buffers. After 30 s without a
            // successful write, the server's own timeout would apply.
            await().until(() -> {
                Fixtures.change(new SubscribedChange(TestKeys.TENANT, "fixture", List.of("many")));
                Fixtures.change(new SubscribedChange(TestKeys.TENANT, SubscribedChange.TOOLS, List.of()));
                awake.next();
                return hasRoom(sleepy);
            });
            assertThat(readAll(socket)).as("the bytes before the disconnect").isLessThan(30L * 256 * 1_900);
        } finally {
            others.forEach(Events::close);
            for (var i = 0; i < 10; i++) { // A lost client is noticed at the next notification.
                Fixtures.change(new SubscribedChange(TestKeys.TENANT, SubscribedChange.PROMPTS, List.of()));
                Fixtures.pause(100);
            }
        }
    }

    /** Returns whether a principal may open another stream. */
    private static boolean hasRoom(RawMcpClient client) {
        try (var more = client.events("subscriptions/listen", PROMPTS)) {
            return more.status() == 200;
        }
    }

    /** Returns the number of bytes until the other side closes the connection. */
    private static long readAll(Socket socket) {
        var count = 0L;
        try {
            socket.setSoTimeout(60_000);
            var scratch = new byte[64 * 1024];
            for (var read = 0; read >= 0; count += read) {
                read = socket.getInputStream().read(scratch);
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("nobody hung up", e);
        } catch (IOException e) {
            // The connection was reset.
        }
        return count;
    }

    @Test
    void streamsAreBoundedForEachPrincipalAndGivenBack() {
        var crowd = new RawMcpClient(server.url("/mcp").toString(), server.keys.add(Role.OWNER, "*"));
        var open = new ArrayList<Events>();
        IntStream.range(0, TestDatabase.STREAMS_EACH)
                .forEach(_ -> open.add(crowd.events("subscriptions/listen", TOOLS)));
        assertThat(open).allMatch(events -> events.status() == 200);
        var request = crowd.request("subscriptions/listen", TOOLS, "{}");
        var refused = crowd.send(request, RawMcpClient.mirrored(request));
        assertThat(refused.statusCode()).isEqualTo(429);
        try (var others = peer.events("subscriptions/listen", TOOLS)) {
            assertThat(others.status()).isEqualTo(200);
        }
        open.forEach(Events::close);
        await().pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
            try (var again = crowd.events("subscriptions/listen", TOOLS)) {
                assertThat(again.status()).isEqualTo(200);
            }
        });
    }

    @Test
    void aKeyThatIsRevokedEndsItsStreams() {
        var key = server.keys.add(Role.OWNER, "*");
        try (var events = new RawMcpClient(server.url("/mcp").toString(), key).events("subscriptions/listen", TOOLS)) {
            events.next();
            server.keys.remove(key);
            await().until(events::ended);
        }
    }

    @Test
    void initializeInALoopLeavesNothing() {
        var before = TestDatabase.rows("mcp_session");
        for (var i = 0; i < 100; i++) {
            peer.session("2025-11-25", "{}");
        }
        assertThat(TestDatabase.rows("mcp_session")).isLessThanOrEqualTo(before);
    }

    /** Sends a request without reading its response. */
    private static Socket send(String body, List<String> headers, String key) throws IOException {
        var socket = new Socket("127.0.0.1", server.port());
        var lines = IntStream.iterate(0, i -> i < headers.size(), i -> i + 2)
                .mapToObj(i -> headers.get(i) + ": " + headers.get(i + 1) + "\r\n")
                .collect(Collectors.joining());
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        socket.getOutputStream()
                .write(("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: " + key
                                + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                                + lines
                                + "Content-Length: " + bytes.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return socket;
    }
}
