package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.web.server.SampleServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Two replicas on one database behind a proxy that alternates between them serve a client like a single one. Of two
 * consecutive requests, each is served by another replica.
 */
@Tag("slow")
class ReplicasTest {
    private static TestServer.Replica other;
    private static AlternatingProxy proxy;

    private final TestTenant tenant = new TestTenant();
    private String key;
    private RawMcpClient peer;

    @BeforeAll
    static void start() throws IOException {
        other = TestServer.replica();
        proxy = new AlternatingProxy(TestServer.url(), other.url());
    }

    @AfterAll
    static void stop() throws IOException {
        proxy.close();
        other.close();
    }

    @BeforeEach
    void connect() {
        key = tenant.key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*"));
        peer = new RawMcpClient(proxy.url("/mcp"), key);
    }

    private static void create(RawMcpClient peer, String agent) {
        var vx = "{'name': '%s', 'description': 'A test agent.'}".formatted(agent);
        var made = peer.modern("tools/call", "{'name': 'AP_Create', 'arguments': {'vx': %s}}".formatted(vx));
        assertThat(made.at("/result/structuredContent/status/success").asBoolean())
                .as(made.toString())
                .isTrue();
    }

    private static void describe(RawMcpClient peer, String agent, String description) {
        peer.modern(
                "tools/call",
                "{'name': 'AP_Modify', 'arguments': {'target': {'agent': '%s'}, 'vx': {'description': '%s'}}}"
                        .formatted(agent, description));
    }

    @Test
    void aSessionBegunOnOneGoesOnOnTheOther() {
        var talk = peer.session("2025-11-25", "{}");
        assertThat(talk.call("tools/list", "{}").at("/result/tools").isEmpty()).isFalse();
        assertThat(talk.end().statusCode()).isEqualTo(204);
        assertThat(talk.post(talk.body("ping", "{}")).statusCode()).isEqualTo(404);
    }

    @Test
    void aChangeOnOneIsToldToAListenerOnTheOther() {
        create(peer, "Ada");
        try (var events = peer.events(
                "subscriptions/listen",
                "{'notifications': {'resourcesListChanged': true, 'resourceSubscriptions': ['engine://agents/ada']}}")) {
            assertThat(events.next()
                            .at("/params/notifications/resourceSubscriptions/0")
                            .asString())
                    .isEqualTo("engine://agents/ada");
            describe(peer, "Ada", "Another description.");
            assertThat(events.next("notifications/resources/updated")
                            .at("/params/uri")
                            .asString())
                    .isEqualTo("engine://agents/ada");
            create(peer, "Bob");
            events.next("notifications/resources/list_changed");
        }
    }

    @Test
    void aSubscriptionMadeOnOneIsHeardOnTheStreamThatTheOtherHolds() {
        create(peer, "Ada");
        var talk = peer.session("2025-06-18", "{}");
        try (var events = talk.listen()) {
            assertThat(talk.call("resources/subscribe", "{'uri': 'engine://agents/Ada'}")
                            .has("result"))
                    .isTrue();
            await().untilAsserted(() -> {
                describe(peer, "Ada", "Description " + System.nanoTime());
                var update = events.poll(Duration.ofMillis(300));
                assertThat(update).isNotNull();
                assertThat(update.at("/params/uri").asString()).isEqualTo("engine://agents/Ada");
            });
        }
    }

    @Test
    void whatSomebodyElseKeepsPrivateIsNeverHeardOf() {
        create(peer, "Ada");
        var stranger = new RawMcpClient(proxy.url("/mcp"), tenant.key(ClientApi.MCP, "eve", Role.MEMBER, List.of("*")));
        create(stranger, "Eve");
        try (var events = stranger.events(
                "subscriptions/listen",
                "{'notifications': {'resourcesListChanged': true, 'resourceSubscriptions': ['engine://agents/Ada', 'engine://agents/Eve']}}")) {
            assertThat(events.next()
                            .at("/params/notifications/resourceSubscriptions")
                            .toString())
                    .isEqualTo("[\"engine://agents/Eve\"]");
            describe(peer, "Ada", "Still private.");
            create(peer, "Bob");
            // Changes come in the order of their commits, so the others would have come before this one.
            describe(stranger, "Eve", "Changed after them.");
            assertThat(events.next().at("/params/uri").asString()).isEqualTo("engine://agents/Eve");
        }
    }

    private static String answer(JsonNode question, String user) {
        return "{'jsonrpc': '2.0', 'id': %s, 'result': {'action': 'accept', 'content': {'username': '%s'}}}"
                .formatted(question, user);
    }

    @Test
    void aCancellationAndAnAnswerFindTheReplicaThatWorks() throws IOException {
        try (var one = new SampleServer(Fixtures.offer());
                var two = new SampleServer(Fixtures.offer(), one.keys);
                var before =
                        new AlternatingProxy(one.url("").toString(), two.url("").toString())) {
            var talk = new RawMcpClient(before.url("/mcp"), one.key).session("2025-11-25", RawMcpClient.ALL);
            try (var events =
                    talk.events("tools/call", "{'name': 'test_elicitation', 'arguments': {'message': 'Who?'}}")) {
                var question = events.next().get("id");
                assertThat(talk.post(answer(question, "ann".repeat(2_000))).statusCode())
                        .as("too long to be signalled to another replica")
                        .isEqualTo(413);
                talk.call("ping", "{}");
                talk.post(answer(question, "ann"));
                assertThat(events.next().at("/result/content/0/text").asString())
                        .contains("ann");
            }
            var body = talk.body("tools/call", "{'name': 'test_slow'}");
            try (var events = talk.start(body)) {
                events.next("notifications/message");
                talk.post("{'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': %s}}"
                        .formatted(RawMcpClient.json(body).get("id")));
                await().until(events::ended);
            }
        }
    }

    @Test
    void aClientThatHangsUpOnTheProxyStopsTheWorkBehindIt() throws IOException {
        try (var server = new SampleServer(Fixtures.offer());
                var before = new AlternatingProxy(server.url("").toString())) {
            var stopped = Fixtures.STOPPED.get();
            try (var events = new RawMcpClient(before.url("/mcp"), server.key)
                    .session("2025-11-25", "{}")
                    .events("tools/call", "{'name': 'test_slow'}")) {
                events.next("notifications/message");
            }
            await().until(() -> Fixtures.STOPPED.get() > stopped);
        }
    }

    /** So do those of an official client. */
    @Test
    void aSessionGoesOnWhenTheReplicaThatBeganItIsKilled(@TempDir Path dataDir) throws IOException {
        var uris = new ConcurrentLinkedQueue<String>();
        try (var doomed = EngineProcess.replica(dataDir);
                var before = new AlternatingProxy(doomed.url(), TestServer.url());
                var others = new AlternatingProxy(doomed.url(), TestServer.url());
                var official = JavaClient.connect(others.url("/mcp"), key, uris);
                var second = JavaClient.connect(others.url("/mcp"), key, new ConcurrentLinkedQueue<>())) {
            var client = new RawMcpClient(before.url("/mcp"), key);
            var talk = client.session("2025-11-25", "{}");
            create(client, "Ada");
            try (var events = talk.listen()) {
                assertThat(talk.call("resources/subscribe", "{'uri': 'engine://agents/Ada'}")
                                .has("result"))
                        .isTrue();
                assertThat(before.served()).containsExactly(2, 2);
                assertThat(JavaClient.news(official, second, "Ada", uris)).isEqualTo("engine://agents/Ada");
                doomed.kill();
                await().until(events::ended);
            }
            try (var events = talk.listen()) {
                describe(client, "Ada", "Described to the one that is left.");
                assertThat(events.next("notifications/resources/updated")
                                .at("/params/uri")
                                .asString())
                        .isEqualTo("engine://agents/Ada");
            }
            assertThat(talk.call("tools/list", "{}").at("/result/tools").isEmpty())
                    .isFalse();
            assertThat(before.served().getFirst()).isEqualTo(2);
            assertThat(official.listTools().tools()).isNotEmpty();
            uris.clear();
            assertThat(JavaClient.news(official, second, "Ada", uris)).isEqualTo("engine://agents/Ada");
        }
    }

    @Test
    void aServerThatStopsEndsItsStreamsProperly() {
        var third = TestServer.replica();
        try (var events = new RawMcpClient(third.url() + "/mcp", key)
                .events("subscriptions/listen", "{'notifications': {'toolsListChanged': true}}")) {
            events.next();
            third.close();
            assertThat(events.next().get("method").asString()).isEqualTo("notifications/cancelled");
            assertThat(events.next().at("/result/resultType").asString()).isEqualTo("complete");
        }
    }
}
