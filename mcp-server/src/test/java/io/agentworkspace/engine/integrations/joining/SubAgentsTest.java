package io.agentworkspace.engine.integrations.joining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

/** Maria's agent Ada invites sub-agents, which have names, keys and lines of their own, and end with her. */
class SubAgentsTest {
    private final TestTenant tenant = new TestTenant();

    /** A caller with its key. */
    private record Program(ClientApi api, String key) {
        Reply call(String service, String arguments) {
            return TestCaller.of(api, key).call(service, arguments);
        }

        String id() {
            return ApiKey.parse(key).id();
        }

        Reply invite(String agent, String more) {
            return call("AK_Invite", "{'agent':'%s','parent':'%s'%s}".formatted(agent, id(), more));
        }

        /** Invites a sub-agent and lets it join. */
        Program sub(String agent, String more) {
            return new Program(
                    api, joined(invite(agent, more).ok()).path("api_key").asString(""));
        }

        boolean isValid() {
            return TestCaller.of(ClientApi.REST, key).call("AP_List").code() == 0;
        }
    }

    private static ObjectNode joined(Reply invited) {
        var body = Json.object().put("code", invited.text("/invitation/code")).put("client", "generic");
        return Json.readObject(ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/join"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(Json.text(body)))
                        .build())
                .body());
    }

    private Program maria(ClientApi api) {
        return new Program(api, tenant.key(api, "maria", Role.MEMBER, List.of("*")));
    }

    private static Program ada(Program maria) {
        maria.call("AP_Create", "{'vx':{'name':'Ada','description':'d','access':'public'}}")
                .ok();
        return bound(maria);
    }

    private static Program bound(Program maria) {
        var made = maria.call("AK_Create", "{'name':'ada','capabilities':['*'],'agent':'Ada'}")
                .ok();
        return new Program(maria.api(), made.text("/api_key"));
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aSubAgentSpeaksUnderItsParentsNameAndItsOwn(ClientApi api) {
        var maria = maria(api);
        var ada = ada(maria);
        maria.call("DM_Create", "{'vx':{'name':'Yard','description':'d','access':'public'}}")
                .ok();
        maria.call("DM_Invite", "{'target':{'domain':'Yard','agent':'Ada'}}").ok();
        var invited = ada.invite("explore", ",'domains':['Yard'],'description':'Looks around.'")
                .ok();
        assertThat(invited.text("/invitation/agent")).isEqualTo("Ada/explore");
        assertThat(invited.at("/invitation/new_agent").asBoolean()).isTrue();
        assertThat(ada.call("AK_Invitations", "{}").ok().text("/invitations/0/parent"))
                .isEqualTo("Ada");
        assertThat(maria.call("AP_List", "{}").ok().texts("/profile", "name"))
                .as("one that has not joined costs nothing")
                .containsExactly("Ada");
        var joined = joined(invited);
        assertThat(joined.path("agent").asString()).isEqualTo("Ada/explore");
        var explore = new Program(api, joined.path("api_key").asString());
        explore.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'found it'}")
                .ok();
        assertThat(ada.call("AP_Read", "{}").ok().texts("/content", "from")).containsExactly("Ada/explore");
        ada.call("AP_Chat", "{'target':{'agent':'ada/EXPLORE'},'content':'thanks'}")
                .ok();
        assertThat(explore.call("AP_Read", "{}").ok().texts("/content", "content"))
                .contains("thanks");
        var listed = maria.call("AP_List", "{}").ok();
        assertThat(listed.texts("/profile", "name")).containsExactly("Ada", "Ada/explore");
        assertThat(listed.text("/profile/1/parent")).isEqualTo("Ada");
        assertThat(listed.at("/profile/0").has("parent")).isFalse();
        assertThat(maria.call("DM_Read", "{'target':{'domain':'Yard'}}").ok().texts("/content", "agent"))
                .containsExactly("Ada", "Ada/explore");
        var read = maria.call("AP_Read", "{'target':{'agent':'Ada/explore'}}").ok();
        assertThat(read.text("/profile/0/description")).isEqualTo("Looks around.");
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void itNeverHasMoreThanItsParentAndMakesNoSubAgents(ClientApi api) {
        var maria = maria(api);
        var ada = ada(maria);
        var explore = ada.sub("explore", "");
        var key = maria.call("AK_Usage", "{'id':'%s'}".formatted(explore.id())).ok();
        assertThat(key.text("/key/parent")).isEqualTo(ada.id());
        assertThat(key.text("/key/agent")).isEqualTo("Ada/explore");
        assertThat(key.at("/key/capabilities").toString())
                .contains("agent:write")
                .doesNotContain("key:write", "*");
        assertThat(key.text("/key/expires_at")).isNotEmpty();
        explore.call("AK_Create", "{'name':'x','capabilities':['agent:read']}").refused(2003);
        var all = ada.sub("all", ",'capabilities':['*']");
        all.invite("deep", "").refused(3003, "'Ada/all' is itself a sub-agent");
        maria.call("AP_Create", "{'vx':{'name':'deep','description':'d'},'parent':'Ada/all'}")
                .refused(3003, "is itself a sub-agent");
        all.call("AP_LogOn", "{'target':{'agent':'Ada'}}").refused(2003, "bound to another agent than 'Ada'");
        all.call("AP_Destroy", "{'target':{'agent':'Ada'}}").refused(2003);
        ada.call("AP_LogOn", "{'target':{'agent':'Ada/all'}}").refused(2003);
        ada.call("MB_Create", "{'target':{'bank':'Finds','agent':'Ada/all'}}")
                .refused(2003, "another agent than 'Ada/all'");
        ada.call("MB_Create", "{'target':{'bank':'Finds'}}").ok();
        ada.call("AP_Modify", "{'target':{'agent':'Ada/all'},'vx':{'description':'new'}}")
                .ok();
        var weak = maria.call(
                        "AK_Create",
                        "{'name':'w','capabilities':['agent:read','agent:write','key:write'],'agent':'Ada'}")
                .ok();
        new Program(api, weak.text("/api_key"))
                .invite("more", ",'capabilities':['bank:read']")
                .refused(2003, "bank:read");
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void onlyTheCallersOwnKeyOfAnAgentIsAParent(ClientApi api) {
        var maria = maria(api);
        var ada = ada(maria);
        maria.call("AK_Invite", "{'agent':'explore','parent':'%s'}".formatted(ada.id()))
                .refused(1004, "parent", "bound to an agent");
        var other = new TestTenant();
        var stranger = ada(new Program(api, other.key(api, "eve", Role.OWNER, List.of("*"))));
        for (var id : List.of(stranger.id(), maria.id(), "000000000000")) {
            ada.call("AK_Invite", "{'agent':'explore','parent':'%s'}".formatted(id))
                    .refused(1004, "must be the id of the key that you call with");
        }
        ada.invite("Eve/explore", "").refused(1004, "no sub-agent of 'Ada'");
        ada.invite("a/b/c", "").refused(1004, "agent");
        ada.invite("x".repeat(62), "").refused(1004, "64");
        maria.call("AK_Invite", "{'agent':'Ada/explore'}").refused(1004, "only a sub-agent has a slash");
        maria.call("AP_Create", "{'vx':{'name':'Ada/explore','description':'d'}}")
                .refused(1004, "vx.name");
        maria.call("DM_Create", "{'vx':{'name':'a/b','description':'d'}}").refused(1004, "vx.name");
        stranger.call("AP_Read", "{'target':{'agent':'Ada/explore'}}").refused(3001);
        maria.call("AP_Create", "{'vx':{'name':'Bert','description':'d'}}").ok();
        ada.call("AP_Create", "{'vx':{'name':'explore','description':'d'},'parent':'Bert'}")
                .refused(2003, "'Bert' is another");
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void itEndsWithItsParentsKey(ClientApi api) {
        var maria = maria(api);
        var ada = ada(maria);
        for (var end : List.of(
                "AK_Revoke {'id':'%s'}",
                "AK_Delete {'id':'%s'}", "AK_Rotate {'id':'%s'}", "AK_Update {'id':'%s','expires_in_seconds':1}")) {
            var parent = bound(maria);
            var explore = parent.sub("explore", "");
            var again = parent.sub("explore", "");
            var open = parent.invite("late", "").ok();
            assertThat(explore.isValid() && again.isValid()).isTrue();
            maria.call(end.split(" ", 2)[0], end.split(" ", 2)[1].formatted(parent.id()))
                    .ok();
            await(end).until(() -> !explore.isValid() && !again.isValid());
            await(end).until(() -> !parent.isValid());
            assertThat(joined(open).path("api_key").asString("")).as(end).isEmpty();
        }
        assertThat(ada.isValid()).isTrue();
        assertThat(ada.sub("explore", "").isValid()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void itEndsWithItsParentAndKeepsItsNameWhileItLives(ClientApi api) {
        var maria = maria(api);
        var ada = ada(maria);
        var explore = ada.sub("explore", "");
        var plan = ada.sub("plan", "");
        var open = ada.invite("late", "").ok();
        maria.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'name':'Adele'}}")
                .refused(3003, "'Ada' has sub-agents");
        maria.call("AP_Modify", "{'target':{'agent':'Ada/plan'},'vx':{'name':'map'}}")
                .ok();
        maria.call("AP_Update", "{'target':{'agent':'Ada/map'},'vx':{'name':'map','description':'d'}}")
                .ok();
        maria.call("AP_Update", "{'target':{'agent':'Ada/map'},'vx':{'name':'ada/Chart','description':'d'}}")
                .ok();
        maria.call("AP_Modify", "{'target':{'agent':'Ada/chart'},'vx':{'name':'Ada/map'}}")
                .ok();
        maria.call("AP_Modify", "{'target':{'agent':'Ada/map'},'vx':{'name':'Bert/map'}}")
                .refused(1004, "vx.name", "begin with 'Ada/'");
        maria.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'name':'Bert/map'}}")
                .refused(1004, "vx.name", "only the name of a sub-agent");
        assertThat(maria.call("AP_List", "{}").ok().texts("/profile", "name"))
                .containsExactly("Ada", "Ada/explore", "Ada/map");
        maria.call("AP_Destroy", "{'target':{'agent':'Ada'}}").ok();
        assertThat(maria.call("AP_List", "{}").ok().texts("/profile", "name")).isEmpty();
        await().until(() -> !explore.isValid() && !plan.isValid() && !ada.isValid());
        assertThat(joined(open).path("api_key").asString("")).isEmpty();
        assertThat(maria.call("AP_List", "{}").ok().texts("/profile", "name")).isEmpty();
    }

    /** Two invitations of one name are one sub-agent, whose keys are two. */
    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void concurrentTwinsAreOneAgent(ClientApi api) {
        var maria = maria(api);
        var ada = ada(maria);
        var invited = List.of(
                ada.invite("explore", "").ok(),
                ada.invite("ada/Explore", "").ok(),
                ada.invite("explore", "").ok());
        var keys = Concurrently.of(3, i -> joined(invited.get(i)));
        // Whoever was refused can use its code again.
        for (var i = 0; i < 3; i++) {
            var body = keys.get(i).has("api_key") ? keys.get(i) : joined(invited.get(i));
            assertThat(body.path("agent").asString("")).isEqualToIgnoringCase("Ada/explore");
            assertThat(new Program(api, body.path("api_key").asString("")).isValid())
                    .isTrue();
        }
        assertThat(maria.call("AP_List", "{}").ok().texts("/profile", "name")).hasSize(2);
        var destroyed = Concurrently.of(
                2,
                i -> i == 0
                        ? maria.call("AP_Destroy", "{'target':{'agent':'Ada'}}")
                        : ada.call("AP_Create", "{'vx':{'name':'late','description':'d'},'parent':'Ada'}"));
        destroyed.getFirst().ok();
        assertThat(maria.call("AP_List", "{'target':{'agent':'Ada'}}").ok().texts("/profile", "name"))
                .isEmpty();
    }

    /** Whoever is kept out does not come in as its sub-agent. */
    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void itIsKickedAndBannedWithItsParent(ClientApi api) {
        var maria = maria(api);
        var ada = ada(maria);
        var host = new Program(api, tenant.key(api, "rosa", Role.MEMBER, List.of("*")));
        host.call("DM_Create", "{'vx':{'name':'Yard','description':'d','access':'public'}}")
                .ok();
        var in = "{'target':{'domain':'Yard','agent':'%s'}}";
        for (var end : List.of("DM_Kick", "DM_Ban")) {
            maria.call("DM_Invite", in.formatted("Ada")).ok();
            ada.sub("explore", ",'domains':['Yard']");
            assertThat(members(host)).containsExactlyInAnyOrder("Ada", "Ada/explore");
            host.call(end, in.formatted("Ada")).ok();
            assertThat(members(host)).doesNotContain("Ada/explore");
        }
        for (var name : List.of("Ada", "Ada/explore")) {
            maria.call("DM_Invite", in.formatted(name)).refused(3003, "banned");
        }
        host.call("DM_Unban", in.formatted("Ada")).ok();
        maria.call("DM_Invite", in.formatted("Ada/explore")).ok();
        assertThat(members(host)).contains("Ada/explore");
    }

    private static List<String> members(Program host) {
        return host.call("DM_Read", "{'target':{'domain':'Yard'}}").ok().texts("/content", "agent");
    }

    /** A sub-agent works on what its parent holds; its siblings and its parent leave alone what it holds. */
    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void itWorksOnWhatItsParentHasReserved(ClientApi api) {
        var maria = maria(api);
        var ada = ada(maria);
        maria.call("DM_Create", "{'vx':{'name':'Yard','description':'d','access':'public'}}")
                .ok();
        maria.call("DM_Invite", "{'target':{'domain':'Yard','agent':'Ada'}}").ok();
        var explore = ada.sub("explore", ",'domains':['Yard']");
        var plan = ada.sub("plan", ",'domains':['Yard']");
        ada.call("TK_Reserve", "{'target':{'domain':'Yard'},'paths':['src/**']}")
                .ok();
        explore.call("TK_Reserve", "{'target':{'domain':'Yard'},'paths':['src/a/**']}")
                .ok();
        plan.call("TK_Reserve", "{'target':{'domain':'Yard'},'paths':['src/a/b']}")
                .refused(3003, "'Ada/explore' works on src/a/**");
        ada.call("TK_Reserve", "{'target':{'domain':'Yard'},'paths':['src/a/c']}")
                .refused(3003, "'Ada/explore' works on src/a/**");
    }
}
