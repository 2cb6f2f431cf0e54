package io.agentworkspace.engine.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.Door;
import io.agentworkspace.engine.TestServer;
import io.agentworkspace.engine.TestTenant;
import io.agentworkspace.engine.http.SampleServer;
import io.agentworkspace.engine.model.Role;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two replicas on one database, without stickiness: whichever a client reaches, it is served as if there were one. */
class ReplicasTest {
    private static TestServer.Replica other;

    private final TestTenant tenant = new TestTenant();
    private String key;
    private Peer here;
    private Peer there;

    @BeforeAll
    static void start() {
        other = TestServer.replica();
    }

    @AfterAll
    static void stop() {
        other.close();
    }

    @BeforeEach
    void connect() {
        key = tenant.key(Door.MCP, "ann", Role.MEMBER, List.of("*"));
        here = new Peer(TestServer.url() + "/mcp", key);
        there = new Peer(other.url() + "/mcp", key);
    }

    private static void create(Peer peer, String agent) {
        var vx = "{'name': '%s', 'description': 'A test agent.'}".formatted(agent);
        var made = peer.modern("tools/call", "{'name': 'AP_Create', 'arguments': {'vx': %s}}".formatted(vx));
        assertThat(made.at("/result/structuredContent/status/success").asBoolean())
                .as(made.toString())
                .isTrue();
    }

    private static void describe(Peer peer, String agent, String description) {
        peer.modern(
                "tools/call",
                "{'name': 'AP_Modify', 'arguments': {'target': {'agent': '%s'}, 'vx': {'description': '%s'}}}"
                        .formatted(agent, description));
    }

    @Test
    void aSessionBegunOnOneGoesOnOnTheOther() {
        var talk = here.session("2025-11-25", "{}");
        assertThat(talk.through(there)
                        .call("tools/list", "{}")
                        .at("/result/tools")
                        .isEmpty())
                .isFalse();
        assertThat(talk.through(there).end().statusCode()).isEqualTo(204);
        assertThat(talk.post(talk.body("ping", "{}")).statusCode()).isEqualTo(404);
    }

    @Test
    void aChangeOnOneIsToldToAListenerOnTheOther() {
        create(here, "Ada");
        try (var events = there.events(
                "subscriptions/listen",
                "{'notifications': {'resourcesListChanged': true, 'resourceSubscriptions': ['engine://agents/ada']}}")) {
            assertThat(events.next()
                            .at("/params/notifications/resourceSubscriptions/0")
                            .asString())
                    .isEqualTo("engine://agents/ada");
            describe(here, "Ada", "Another description.");
            assertThat(events.next("notifications/resources/updated")
                            .at("/params/uri")
                            .asString())
                    .isEqualTo("engine://agents/ada");
            create(here, "Bob");
            events.next("notifications/resources/list_changed");
        }
    }

    @Test
    void aSubscriptionMadeOnOneIsHeardOnTheStreamThatTheOtherHolds() {
        create(here, "Ada");
        var talk = here.session("2025-06-18", "{}");
        try (var events = talk.through(there).listen()) {
            assertThat(talk.call("resources/subscribe", "{'uri': 'engine://agents/Ada'}")
                            .has("result"))
                    .isTrue();
            await().untilAsserted(() -> {
                describe(here, "Ada", "Description " + System.nanoTime());
                var told = events.poll(Duration.ofMillis(300));
                assertThat(told).isNotNull();
                assertThat(told.at("/params/uri").asString()).isEqualTo("engine://agents/Ada");
            });
        }
    }

    @Test
    void whatSomebodyElseKeepsPrivateIsNeverHeardOf() {
        create(here, "Ada");
        var stranger = new Peer(other.url() + "/mcp", tenant.key(Door.MCP, "eve", Role.MEMBER, List.of("*")));
        try (var events = stranger.events(
                "subscriptions/listen",
                "{'notifications': {'resourcesListChanged': true, 'resourceSubscriptions': ['engine://agents/Ada']}}")) {
            assertThat(events.next()
                            .at("/params/notifications/resourceSubscriptions")
                            .isEmpty())
                    .isTrue();
            describe(here, "Ada", "Still private.");
            create(here, "Bob");
            assertThat(events.poll(Duration.ofMillis(600))).isNull();
        }
    }

    @Test
    void aCancellationAndAnAnswerFindTheReplicaThatWorks() {
        try (var one = new SampleServer(Fixtures.offer());
                var two = new SampleServer(Fixtures.offer(), one.keys)) {
            var first = new Peer(one.url("/mcp").toString(), one.key);
            var second = new Peer(two.url("/mcp").toString(), one.key);
            var talk = first.session("2025-11-25", Peer.ALL);
            try (var events =
                    talk.events("tools/call", "{'name': 'test_elicitation', 'arguments': {'message': 'Who?'}}")) {
                var answer =
                        "{'jsonrpc': '2.0', 'id': %s, 'result': {'action': 'accept', 'content': {'username': 'ann'}}}";
                talk.through(second).post(answer.formatted(events.next().get("id")));
                assertThat(events.next().at("/result/content/0/text").asString())
                        .contains("ann");
            }
            var body = talk.body("tools/call", "{'name': 'test_slow'}");
            try (var events = talk.start(body)) {
                events.next("notifications/message");
                talk.through(second)
                        .post("{'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': %s}}"
                                .formatted(Peer.json(body).get("id")));
                await().until(events::ended);
            }
        }
    }

    @Test
    void aServerThatStopsEndsItsStreamsProperly() {
        var third = TestServer.replica();
        try (var events = new Peer(third.url() + "/mcp", key)
                .events("subscriptions/listen", "{'notifications': {'toolsListChanged': true}}")) {
            events.next();
            var begun = System.nanoTime();
            third.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
            assertThat(events.next().get("method").asString()).isEqualTo("notifications/cancelled");
            assertThat(events.next().at("/result/resultType").asString()).isEqualTo("complete");
        }
    }
}
