package io.agentworkspace.engine.mcp.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.Events;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The event feed as a resource of the MCP endpoint. */
class FeedResourceTest {
    private final TestTenant tenant = new TestTenant();
    private final RawMcpClient root = peer("root", Role.ADMIN);

    private RawMcpClient peer(String user, Role role) {
        return new RawMcpClient(TestServer.url() + "/mcp", tenant.key(ClientApi.MCP, user, role, List.of("*")));
    }

    /** Numbers events in the feed, as the outbox does. */
    private void placed(int first, int last) {
        TestDatabase.db()
                .sql("""
                        WITH e AS (
                            INSERT INTO event (tenant_id, id, type, created_at, data, seq)
                            SELECT :tenant, gen_random_uuid(), 'agent.deployment.deleted', now(),
                                   '{"agent": "Ada", "access": "private", "owner": "ann", "revision": 1}', n
                              FROM generate_series(:first, :last) n)
                        INSERT INTO event_feed (tenant_id, last_seq) VALUES (:tenant, :last)
                        ON CONFLICT (tenant_id) DO UPDATE SET last_seq = :last
                        """)
                .set("tenant", tenant.id(ClientApi.MCP))
                .set("first", first)
                .set("last", last)
                .run();
    }

    /** Makes a call that reports an event. */
    private void report() {
        var arguments = "{'vx':{'name':'%s','description':'d'}}".formatted(UUID.randomUUID());
        var answer = root.modern("tools/call", "{'name':'AP_Create','arguments':%s}".formatted(arguments));
        assertThat(answer.at("/result/structuredContent/status/success").asBoolean())
                .isTrue();
    }

    private static JsonNode read(RawMcpClient peer, String uri) {
        var answer = peer.modern("resources/read", "{'uri': '%s'}".formatted(uri));
        assertThat(answer.has("result")).as(answer.toString()).isTrue();
        return Json.read(answer.at("/result/contents/0/text").asString("").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void itIsReadFromTheBeginningOrBehindAnEvent() {
        placed(1, 3);
        assertThat(read(root, "engine://events")
                        .at("/events")
                        .valueStream()
                        .map(event -> event.path("seq").asLong()))
                .containsExactly(1L, 2L, 3L);
        var rest = read(root, "engine://events?after=2");
        assertThat(rest.at("/events/0/seq").asLong()).isEqualTo(3);
        assertThat(rest.at("/next_after").asLong()).isEqualTo(3);
        assertThat(rest.has("status")).isFalse();
    }

    @Test
    void onlyAdminsSeeIt() {
        var ann = peer("ann", Role.MEMBER);
        assertThat(listed(root)).contains("engine://events");
        assertThat(listed(ann)).doesNotContain("engine://events");
        for (var uri : List.of("engine://events", "engine://events?after=0")) {
            assertThat(ann.modern("resources/read", "{'uri': '%s'}".formatted(uri))
                            .at("/error/code")
                            .asInt())
                    .isEqualTo(-32602);
        }
        for (var uri : List.of(
                "engine://events/", "engine://events?after=", "engine://events?after=-1", "engine://events?x=1")) {
            assertThat(root.modern("resources/read", "{'uri': '%s'}".formatted(uri))
                            .at("/error/code")
                            .asInt())
                    .as(uri)
                    .isEqualTo(-32602);
        }
        try (var events = listening(ann, "engine://events")) {
            assertThat(events.next()
                            .at("/params/notifications/resourceSubscriptions")
                            .isEmpty())
                    .isTrue();
        }
    }

    private static List<String> listed(RawMcpClient peer) {
        return peer.modern("resources/list", "{}")
                .at("/result/resources")
                .valueStream()
                .map(resource -> resource.get("uri").asString())
                .toList();
    }

    private static Events listening(RawMcpClient peer, String uri) {
        return peer.events(
                "subscriptions/listen", "{'notifications': {'resourceSubscriptions': ['%s']}}".formatted(uri));
    }

    @Test
    void clientsWithSessionsSubscribeToo() {
        placed(1, 1);
        for (var uri : List.of("engine://events", "engine://events?after=1")) {
            var talk = root.session("2025-06-18", "{}");
            try (var events = talk.listen()) {
                assertThat(talk.call("resources/subscribe", "{'uri': '%s'}".formatted(uri))
                                .has("result"))
                        .isTrue();
                await().untilAsserted(() -> {
                    report();
                    var update = events.poll(Duration.ofMillis(300));
                    assertThat(update).isNotNull();
                    assertThat(update.path("method").asString("")).isEqualTo("notifications/resources/updated");
                    assertThat(update.at("/params/uri").asString()).isEqualTo(uri);
                });
            }
        }
        var ann = peer("ann", Role.MEMBER).session("2025-06-18", "{}");
        assertThat(ann.call("resources/subscribe", "{'uri': 'engine://events'}").has("error"))
                .isTrue();
    }

    @Test
    void whoSubscribesIsToldOfNewEvents() {
        for (var uri : List.of("engine://events", "engine://events?after=7")) {
            try (var events = listening(root, uri)) {
                assertThat(events.next()
                                .at("/params/notifications/resourceSubscriptions/0")
                                .asString())
                        .isEqualTo(uri);
                report();
                assertThat(events.next("notifications/resources/updated")
                                .at("/params/uri")
                                .asString())
                        .isEqualTo(uri);
            }
        }
    }
}
