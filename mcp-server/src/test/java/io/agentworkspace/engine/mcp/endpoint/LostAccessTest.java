package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Eve listens to things of Ann's, and to an agent of her own. A notification of her own agent
 * shows that nothing came before it.
 */
class LostAccessTest {
    private static final String OWN = "engine://agents/Eva";
    private static final Duration HANG = Duration.ofSeconds(60);

    private final TestTenant tenant = new TestTenant();
    private RawMcpClient ann;
    private RawMcpClient eve;

    /** What Eve listens to, what changes it, how she loses access, and how she gets it back. */
    private enum Thing {
        DOMAIN(
                "engine://domains/Lab",
                "DM_Update {'target':{'domain':'Lab'},'vx':{'name':'Lab','description':'%s'}}",
                "DM_Ban {'target':{'domain':'Lab','agent':'Eva'}}",
                List.of(
                        "DM_Unban {'target':{'domain':'Lab','agent':'Eva'}}",
                        "DM_Invite {'target':{'domain':'Lab','agent':'Eva'}}")),
        AGENT_OF_THE_DOMAIN(
                "engine://agents/Ada",
                "AP_Modify {'target':{'agent':'Ada'},'vx':{'description':'%s'}}",
                "DM_Kick {'target':{'domain':'Lab','agent':'Eva'}}",
                List.of("DM_Invite {'target':{'domain':'Lab','agent':'Eva'}}")),
        AGENT_THAT_BECOMES_PRIVATE(
                "engine://agents/Open",
                "AP_Modify {'target':{'agent':'Open'},'vx':{'description':'%s'}}",
                "AP_Modify {'target':{'agent':'Open'},'vx':{'access':'private'}}",
                List.of("AP_Modify {'target':{'agent':'Open'},'vx':{'access':'public'}}")),
        BANK_WITHOUT_PERMISSION(
                "engine://banks/Notes",
                "MB_Store {'target':{'bank':'Notes'},'content':'%s'}",
                "MB_Permissions {'target':{'bank':'Notes','agent':'Eva'},'vx':{'access':'none'}}",
                List.of("MB_Permissions {'target':{'bank':'Notes','agent':'Eva'},'vx':{'access':'read'}}")),
        CENSORED_BANK(
                "engine://banks/Notes",
                "MB_Store {'target':{'bank':'Notes'},'content':'%s'}",
                "MB_Censor {'target':{'bank':'Notes'}}",
                List.of("MB_Uncensor {'target':{'bank':'Notes'}}")),
        DELETED_BANK(
                "engine://banks/Notes",
                "MB_Store {'target':{'bank':'Notes'},'content':'%s'}",
                "MB_Delete {'target':{'bank':'Notes'}}",
                List.of("MB_Restore {'target':{'bank':'Notes'}}"));

        private final String uri;
        private final String change;
        private final String loss;
        private final List<String> gain;

        Thing(String uri, String change, String loss, List<String> gain) {
            this.uri = uri;
            this.change = change;
            this.loss = loss;
            this.gain = gain;
        }
    }

    @BeforeEach
    void build() {
        ann = new RawMcpClient(TestServer.url() + "/mcp", tenant.key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*")));
        eve = new RawMcpClient(TestServer.url() + "/mcp", tenant.key(ClientApi.MCP, "eve", Role.MEMBER, List.of("*")));
        call(ann, "AP_Create {'vx':{'name':'Ada','description':'d','access':'domain'}}");
        call(ann, "AP_Create {'vx':{'name':'Open','description':'d','access':'public'}}");
        call(eve, "AP_Create {'vx':{'name':'Eva','description':'d','access':'public'}}");
        call(ann, "DM_Create {'target':{'agent':'Ada'},'vx':{'name':'Lab','description':'d','access':'domain'}}");
        call(ann, "DM_Invite {'target':{'domain':'Lab','agent':'Eva'}}");
        call(eve, "DM_Invite {'target':{'domain':'Lab','agent':'Eva'}}");
        call(ann, "MB_Create {'vx':{'name':'Notes','description':'d','access':'bank'}}");
        call(ann, "MB_Permissions {'target':{'bank':'Notes','agent':'Eva'},'vx':{'access':'read'}}");
    }

    private static boolean tried(RawMcpClient who, String call) {
        var words = call.split(" ", 2);
        return who.modern("tools/call", "{'name': '%s', 'arguments': %s}".formatted(words[0], words[1]))
                .at("/result/structuredContent/status/success")
                .asBoolean();
    }

    private static void call(RawMcpClient who, String call) {
        assertThat(tried(who, call)).as(call).isTrue();
    }

    private static String nextUri(Events events) {
        var message = events.poll(HANG);
        assertThat(message).as("an update").isNotNull();
        return message.at("/params/uri").asString("");
    }

    /** Changes Eve's own agent, and returns her notifications up to that change. */
    private void hearsOnlyOfHerOwn(Events events, String why) {
        call(eve, "AP_Modify {'target':{'agent':'Eva'},'vx':{'description':'%s'}}".formatted(why));
        assertThat(toldOf(events)).as(why).isEqualTo(OWN);
    }

    @ParameterizedTest
    @EnumSource
    void aListenerHearsNoMoreOfWhatItMayNoLongerSee(Thing thing) {
        var filter = "{'notifications': {'resourceSubscriptions': ['%s', '%s']}}".formatted(thing.uri, OWN);
        try (var events = eve.events("subscriptions/listen", filter)) {
            assertThat(events.poll(HANG)
                            .at("/params/notifications/resourceSubscriptions")
                            .size())
                    .isEqualTo(2);
            losesAndRegains(thing, events);
        }
    }

    @ParameterizedTest
    @EnumSource
    void norDoesTheStreamOfASession(Thing thing) {
        var talk = eve.session("2025-11-25", "{}");
        talk.call("resources/subscribe", "{'uri': '%s'}".formatted(thing.uri));
        talk.call("resources/subscribe", "{'uri': '%s'}".formatted(OWN));
        try (var events = talk.listen()) {
            assertThat(events.status()).isEqualTo(200);
            losesAndRegains(thing, events);
        }
    }

    private void losesAndRegains(Thing thing, Events events) {
        call(ann, thing.change.formatted("before"));
        assertThat(toldOf(events)).isEqualTo(thing.uri);
        call(ann, thing.loss);
        hearsOnlyOfHerOwn(events, "after the loss");
        tried(ann, thing.change.formatted("after")); // Some things cannot change while they are hidden.
        hearsOnlyOfHerOwn(events, "after a change");
        thing.gain.forEach(call -> call(ann, call));
        if (thing.gain.getLast().startsWith("DM_Invite")) {
            call(eve, thing.gain.getLast());
        }
        call(ann, thing.change.formatted("again"));
        assertThat(toldOf(events)).isEqualTo(thing.uri);
    }

    /** A further subscription looks up all of them again, while the bank is deleted. */
    @Test
    void whatIsHiddenStaysSubscribed() {
        var thing = Thing.DELETED_BANK;
        var session = eve.session("2025-11-25", "{}");
        session.call("resources/subscribe", "{'uri': '%s'}".formatted(thing.uri));
        try (var events = session.listen()) {
            call(ann, thing.loss);
            session.call("resources/subscribe", "{'uri': '%s'}".formatted(OWN));
            var count = new AtomicInteger();
            await().until(
                            () -> { // Until the look-up is done, changes of her agent are not reported.
                                call(
                                        eve,
                                        "AP_Modify {'target':{'agent':'Eva'},'vx':{'description':'%d'}}"
                                                .formatted(count.incrementAndGet()));
                                var message = events.poll(Duration.ofMillis(500));
                                return message != null
                                        && OWN.equals(message.at("/params/uri").asString(""));
                            });
            thing.gain.forEach(call -> call(ann, call));
            call(ann, thing.change.formatted("again"));
            var uri = toldOf(events);
            while (uri.equals(OWN)) { // Of the repeated changes.
                uri = toldOf(events);
            }
            assertThat(uri).isEqualTo(thing.uri);
        }
    }

    @Test
    void spellingsOfOneAddressAreOneSubscription() {
        var spelt =
                List.of("engine://agents/Eva", "engine://agents/EVA", "engine://agents/%65va", "engine://agents/eva");
        var filter = "{'notifications': {'resourceSubscriptions': ['%s']}}".formatted(String.join("','", spelt));
        var talk = eve.session("2025-11-25", "{}");
        spelt.forEach(uri -> talk.call("resources/subscribe", "{'uri': '%s'}".formatted(uri)));
        try (var events = eve.events("subscriptions/listen", filter);
                var session = talk.listen()) {
            assertThat(events.poll(HANG)
                            .at("/params/notifications/resourceSubscriptions")
                            .toString())
                    .isEqualTo("[\"engine://agents/Eva\"]");
            for (var change : List.of("first", "second")) {
                hearsOnlyOfHerOwn(events, change);
                assertThat(toldOf(session)).isEqualTo(OWN);
            }
        }
    }

    /** As many spellings as a request may name, of letters in either case and either width. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "engine://agents/Abcdefgh",
                "engine://domains/Abcdefgh",
                "engine://domains/Abcdefgh/zones/main",
                "engine://banks/Abcdefgh"
            })
    void anyNumberOfSpellingsIsOneSubscription(String uri) {
        var guy = new RawMcpClient(
                TestServer.url() + "/mcp", tenant.key(ClientApi.MCP, "guy", Role.MEMBER, List.of("*")));
        call(guy, "AP_Create {'vx':{'name':'Abcdefgh','description':'d'}}");
        call(guy, "DM_Create {'target':{'agent':'Abcdefgh'},'vx':{'name':'Abcdefgh','description':'d'}}");
        call(guy, "MB_Create {'vx':{'name':'Abcdefgh'}}");
        var spelt = IntStream.range(0, 256)
                .mapToObj(variant -> uri.replace("Abcdefgh", spelling(variant)))
                .toList();
        assertThat(spelt).doesNotHaveDuplicates();
        var filter = "{'notifications': {'resourceSubscriptions': ['%s']}}".formatted(String.join("','", spelt));
        try (var events = guy.events("subscriptions/listen", filter)) {
            assertThat(events.poll(HANG).at("/params/notifications/resourceSubscriptions"))
                    .hasSize(1);
        }
    }

    /** Returns the name "Abcdefgh" with each letter as the bits of the number say: small, or large and twice as wide. */
    private static String spelling(int variant) {
        var spelling = new StringBuilder();
        for (var i = 0; i < 8; i++) {
            var isSmall = variant / (1 << i) % 2 == 0;
            spelling.append(isSmall ? (char) ('a' + i) : (char) ('\uff21' + i));
        }
        return URLEncoder.encode(spelling.toString(), StandardCharsets.UTF_8);
    }

    /** Access checks of listeners are not recorded as calls: the key has run only what Eve called. */
    @Test
    void lookingWhatAListenerMaySeeIsNoCall() {
        var key = tenant.key(ClientApi.MCP, "fay", Role.MEMBER, List.of("*"));
        var fay = new RawMcpClient(TestServer.url() + "/mcp", key);
        call(fay, "AP_Create {'vx':{'name':'Fee','description':'d'}}");
        call(fay, "DM_Create {'target':{'agent':'Fee'},'vx':{'name':'Hall','description':'d'}}");
        call(fay, "MB_Create {'vx':{'name':'Shelf'}}");
        var things = List.of(
                "engine://agents/Fee",
                "engine://domains/Hall",
                "engine://domains/Hall/zones/main",
                "engine://banks/Shelf");
        var filter = "{'notifications': {'resourceSubscriptions': ['%s']}}".formatted(String.join("','", things));
        var talk = fay.session("2025-11-25", "{}");
        things.forEach(uri -> talk.call("resources/subscribe", "{'uri': '%s'}".formatted(uri)));
        try (var events = fay.events("subscriptions/listen", filter)) {
            assertThat(events.poll(HANG).at("/params/notifications/resourceSubscriptions"))
                    .hasSize(4);
            call(fay, "MB_Store {'target':{'bank':'Shelf'},'content':'x'}");
            assertThat(toldOf(events)).isEqualTo("engine://banks/Shelf");
        }
        await().until(() -> ran(fay, key).contains("MB_Store 1"));
        assertThat(ran(fay, key))
                .filteredOn(tool -> !tool.startsWith("AK_Usage"))
                .containsExactlyInAnyOrder("AP_Create 1", "DM_Create 1", "MB_Create 1", "MB_Store 1");
    }

    private static List<String> ran(RawMcpClient who, String key) {
        var arguments = "{'id':'%s'}".formatted(ApiKey.parse(key).id());
        return who.modern("tools/call", "{'name': 'AK_Usage', 'arguments': %s}".formatted(arguments))
                .at("/result/structuredContent/commands")
                .valueStream()
                .map(used ->
                        used.path("tool").asString() + " " + used.path("calls").asInt())
                .toList();
    }

    /** Returns the next update, and skips changes of lists, which a session's stream receives too. */
    private static String toldOf(Events events) {
        var uri = nextUri(events);
        while (uri.isEmpty()) {
            uri = nextUri(events);
        }
        return uri;
    }
}
