package io.agentworkspace.engine.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Eve listens to things of Ann's, and to an agent of her own: what is told of that one shows that nothing came before it. */
class LostAccessTest {
    private static final String OWN = "engine://agents/Eva";
    private static final Duration HANG = Duration.ofSeconds(60);

    private final TestTenant tenant = new TestTenant();
    private Peer ann;
    private Peer eve;

    /** What Eve hears of, what changes it, how she loses it, and how she gets it back. */
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
        ann = new Peer(TestServer.url() + "/mcp", tenant.key(Door.MCP, "ann", Role.MEMBER, List.of("*")));
        eve = new Peer(TestServer.url() + "/mcp", tenant.key(Door.MCP, "eve", Role.MEMBER, List.of("*")));
        call(ann, "AP_Create {'vx':{'name':'Ada','description':'d','access':'domain'}}");
        call(ann, "AP_Create {'vx':{'name':'Open','description':'d','access':'public'}}");
        call(eve, "AP_Create {'vx':{'name':'Eva','description':'d','access':'public'}}");
        call(ann, "DM_Create {'target':{'agent':'Ada'},'vx':{'name':'Lab','description':'d','access':'domain'}}");
        call(ann, "DM_Invite {'target':{'domain':'Lab','agent':'Eva'}}");
        call(eve, "DM_Invite {'target':{'domain':'Lab','agent':'Eva'}}");
        call(ann, "MB_Create {'vx':{'name':'Notes','description':'d','access':'bank'}}");
        call(ann, "MB_Permissions {'target':{'bank':'Notes','agent':'Eva'},'vx':{'access':'read'}}");
    }

    private static boolean tried(Peer who, String call) {
        var words = call.split(" ", 2);
        return who.modern("tools/call", "{'name': '%s', 'arguments': %s}".formatted(words[0], words[1]))
                .at("/result/structuredContent/status/success")
                .asBoolean();
    }

    private static void call(Peer who, String call) {
        assertThat(tried(who, call)).as(call).isTrue();
    }

    private static String told(Events events) {
        var message = events.poll(HANG);
        assertThat(message).as("an update").isNotNull();
        return message.at("/params/uri").asString("");
    }

    /** Lets Eve's own agent change, and gives what she was told until she hears of that. */
    private void hearsOnlyOfHerOwn(Events events, String why) {
        call(eve, "AP_Modify {'target':{'agent':'Eva'},'vx':{'description':'%s'}}".formatted(why));
        assertThat(toldOf(events)).as(why).isEqualTo(OWN);
    }

    @ParameterizedTest
    @EnumSource
    void aListenerHearsNoMoreOfWhatItMayNoLongerSee(Thing thing) {
        var asked = "{'notifications': {'resourceSubscriptions': ['%s', '%s']}}".formatted(thing.uri, OWN);
        try (var events = eve.events("subscriptions/listen", asked)) {
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

    /** Nobody called the tools that say what a listener may see: its key has run only what Eve called. */
    @Test
    void lookingWhatAListenerMaySeeIsNoCall() {
        var key = tenant.key(Door.MCP, "fay", Role.MEMBER, List.of("*"));
        var fay = new Peer(TestServer.url() + "/mcp", key);
        call(fay, "AP_Create {'vx':{'name':'Fee','description':'d'}}");
        call(fay, "DM_Create {'target':{'agent':'Fee'},'vx':{'name':'Hall','description':'d'}}");
        call(fay, "MB_Create {'vx':{'name':'Shelf'}}");
        var things = List.of(
                "engine://agents/Fee",
                "engine://domains/Hall",
                "engine://domains/Hall/zones/main",
                "engine://banks/Shelf");
        var asked = "{'notifications': {'resourceSubscriptions': ['%s']}}".formatted(String.join("','", things));
        var talk = fay.session("2025-11-25", "{}");
        things.forEach(uri -> talk.call("resources/subscribe", "{'uri': '%s'}".formatted(uri)));
        try (var events = fay.events("subscriptions/listen", asked)) {
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

    private static List<String> ran(Peer who, String key) {
        var arguments = "{'id':'%s'}".formatted(ApiKey.parse(key).id());
        return who.modern("tools/call", "{'name': 'AK_Usage', 'arguments': %s}".formatted(arguments))
                .at("/result/structuredContent/commands")
                .valueStream()
                .map(used ->
                        used.path("tool").asString() + " " + used.path("calls").asInt())
                .toList();
    }

    /** The next update; a session's stream hears of lists, too. */
    private static String toldOf(Events events) {
        var uri = told(events);
        while (uri.isEmpty()) {
            uri = told(events);
        }
        return uri;
    }
}
