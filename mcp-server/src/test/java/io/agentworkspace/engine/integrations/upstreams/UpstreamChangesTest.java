package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.Events;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What servers announce reaches the clients that listen here, in both lanes. */
class UpstreamChangesTest {
    private static final String TODAY = "engine://upstreams/demo/notes://today";
    private static final String UPDATED = "notifications/resources/updated";

    private final TestTenant tenant = new TestTenant();
    private final String rootKey = tenant.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.MCP, rootKey);
    private final RawMcpClient client = new RawMcpClient(TestServer.url() + "/mcp", rootKey);

    private void install(String url) {
        root.call("UP_Install", "{'name':'demo','url':'%s','approve':'all'}".formatted(url))
                .ok();
    }

    private static Events listen(RawMcpClient client, String... uris) {
        return client.events(
                "subscriptions/listen",
                "{'notifications':{'toolsListChanged':true,'resourceSubscriptions':['%s']}}"
                        .formatted(String.join("','", uris)));
    }

    private static String uri(JsonNode message) {
        return message.at("/params/uri").asString("");
    }

    @Test
    void aChangeOfAResourceReachesItsSubscribersInBothLanes() {
        try (var upstream = new AskingUpstream()) {
            install(upstream.url());
            var session = client.session("2025-11-25", "{}");
            try (var stateless = listen(client, TODAY, "notes://today");
                    var events = session.listen()) {
                assertThat(stateless
                                .next()
                                .at("/params/notifications/resourceSubscriptions")
                                .size())
                        .isEqualTo(2);
                assertThat(session.call("resources/subscribe", "{'uri':'%s'}".formatted(TODAY))
                                .has("result"))
                        .isTrue();
                // It may have changed before the server knew of the subscription.
                assertThat(List.of(uri(stateless.next(UPDATED)), uri(stateless.next(UPDATED))))
                        .containsExactlyInAnyOrder(TODAY, "notes://today");
                assertThat(upstream.calls("resources/subscribe")).isEqualTo(1);
                await().until(upstream::hasStream);
                upstream.announces(UPDATED, "{'uri':'notes://today'}");
                assertThat(uri(events.next(UPDATED))).isEqualTo(TODAY);
                assertThat(List.of(uri(stateless.next(UPDATED)), uri(stateless.next(UPDATED))))
                        .containsExactlyInAnyOrder(TODAY, "notes://today");
                // Nobody is told of what they did not subscribe to.
                upstream.announces(UPDATED, "{'uri':'notes://other'}");
                upstream.announces("notifications/nonsense", "{}");
                upstream.announces(UPDATED, "{'uri':'notes://today'}");
                assertThat(uri(stateless.next(UPDATED))).contains("notes://today");
                // A stream that ends is opened again, and what may have been missed is announced.
                upstream.endsStreams();
                assertThat(uri(events.next(UPDATED))).isEqualTo(TODAY);
            }
            session.call("resources/unsubscribe", "{'uri':'%s'}".formatted(TODAY));
            await().until(() -> upstream.calls("resources/unsubscribe") == 1);
        }
    }

    /** As after a restart: a new session is begun and subscribes again, for what is followed then. */
    @Test
    void aServerThatForgetsItsSessionsIsHeardAgain() {
        try (var upstream = new AskingUpstream()) {
            install(upstream.url());
            try (var events = listen(client, TODAY)) {
                events.next(UPDATED);
                await().until(upstream::hasStreamOfSubscriber);
                upstream.forgetsSessions();
                await().until(() -> upstream.calls("resources/subscribe") == 2 && upstream.hasStreamOfSubscriber());
                events.next(UPDATED); // It may have changed meanwhile.
                upstream.tools = "{'name':'ask','description':'Other.','inputSchema':{'type':'object'}}";
                upstream.announces("notifications/tools/list_changed", "{}");
                events.next("notifications/tools/list_changed");
            }
        }
    }

    /** A stream has no limit as a whole, and a message that is too long costs only the stream. */
    @Test
    void longStreamsAreReadAndLongMessagesAreNot() {
        try (var upstream = new AskingUpstream()) {
            install(upstream.url());
            try (var events = listen(client, TODAY)) {
                events.next(UPDATED);
                await().until(upstream::hasStreamOfSubscriber);
                var before = upstream.streamsBegun();
                var filling = "{'text':'%s'}".formatted("x".repeat(200_000));
                for (var i = 0; i < 50; i++) {
                    upstream.announces("notifications/message", filling);
                }
                upstream.announces(UPDATED, "{'uri':'notes://today'}");
                events.next(UPDATED);
                assertThat(upstream.streamsBegun()).isEqualTo(before);
                upstream.announces("notifications/message", "{'text':'%s'}".formatted("x".repeat(300_000)));
                await().until(() -> upstream.streamsBegun() > before);
                upstream.announces(UPDATED, "{'uri':'notes://today'}");
                events.next(UPDATED);
            }
        }
    }

    /** A stream has the credential that it was opened with, so a change of the server ends it. */
    @Test
    void aServerThatIsChangedOrRemovedKeepsNoStream() {
        try (var upstream = new AskingUpstream()) {
            install(upstream.url());
            for (var change : List.of("UP_Refresh", "UP_Remove")) {
                client.modern("tools/call", "{'name':'demo_ask','arguments':{}}");
                await().until(upstream::reachesSomebody);
                root.call(change, "{'name':'demo'}").ok();
                client.modern("tools/list", "{}");
                await().until(() -> !upstream.reachesSomebody());
            }
        }
    }

    /** Each user has sessions of their own, and without the capability nobody hears anything. */
    @Test
    void otherUsersAndTenantsHearNothing() {
        try (var upstream = new AskingUpstream()) {
            install(upstream.url());
            var mia = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("agent:read"));
            var eve = new TestTenant().key(ClientApi.MCP, "eve", Role.OWNER, List.of("*"));
            for (var key : List.of(mia, eve)) {
                var other = new RawMcpClient(TestServer.url() + "/mcp", key);
                try (var events = listen(other, TODAY)) {
                    assertThat(events.next()
                                    .at("/params/notifications/resourceSubscriptions")
                                    .isEmpty())
                            .isTrue();
                }
                assertThat(other.session("2025-11-25", "{}")
                                .call("resources/subscribe", "{'uri':'%s'}".formatted(TODAY))
                                .has("error"))
                        .isTrue();
            }
            assertThat(upstream.calls("resources/subscribe")).isZero();
        }
    }

    @Test
    void aChangedListIsReadAgainAndTheChangeIsHeld() {
        try (var upstream = new AskingUpstream()) {
            install(upstream.url());
            try (var events = listen(client, TODAY)) {
                events.next(UPDATED);
                await().until(upstream::hasStream);
                // Nothing has changed: nothing is written.
                var before = root.call("UP_Read", "{'name':'demo'}")
                        .ok()
                        .at("/revision")
                        .asLong();
                var lists = upstream.calls("tools/list");
                for (var i = 0; i < 1_000; i++) {
                    upstream.announces("notifications/tools/list_changed", "{}");
                }
                await().until(() -> upstream.calls("tools/list") > lists);
                assertThat(root.call("UP_Read", "{'name':'demo'}")
                                .ok()
                                .at("/revision")
                                .asLong())
                        .isEqualTo(before);
                upstream.tools = "{'name':'ask','description':'Sends the key.','inputSchema':{'type':'object'}}";
                upstream.announces("notifications/tools/list_changed", "{}");
                events.next("notifications/tools/list_changed");
                assertThat(root.call("UP_Read", "{'name':'demo'}").ok().texts("/upstream/tools", "state"))
                        .containsExactly("held");
                await().untilAsserted(() -> assertThat(root.call("AC_Audit", "{'tool':'UP_Refresh'}")
                                .ok()
                                .texts("/entries", "client"))
                        .contains("an announcement of the server 'demo'"));
            }
            assertThat(upstream.calls("tools/list")).isLessThan(10);
        }
    }

    /** Another engine announces the changes of its agents as a server of 2026-07-28. */
    @Test
    void aChangeOfAnotherEngineReachesSubscribersHere() {
        var key = new TestTenant().key(ClientApi.MCP, "remote", Role.OWNER, List.of("*"));
        var remote = TestCaller.of(ClientApi.MCP, key);
        remote.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        root.call("UP_Install", """
                        {'name':'demo','url':'%s/mcp','credential':{'kind':'header','header':'X-Api-Key','value':'%s'}}""".formatted(TestServer.url(), key)).ok();
        root.call("UP_Approve", "{'name':'demo'}").ok();
        var uri = "engine://upstreams/demo/engine://agents/Ada";
        var session = client.session("2025-11-25", "{}");
        try (var stateless = listen(client, uri);
                var events = session.listen()) {
            session.call("resources/subscribe", "{'uri':'%s'}".formatted(uri));
            assertThat(uri(stateless.next(UPDATED))).isEqualTo(uri);
            remote.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':'another'}}")
                    .ok();
            assertThat(uri(stateless.next(UPDATED))).isEqualTo(uri);
            assertThat(uri(events.next(UPDATED))).isEqualTo(uri);
        }
    }
}
