package io.agentworkspace.engine.calls.why;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static io.agentworkspace.engine.testing.KeyFixture.make;
import static io.agentworkspace.engine.testing.KeyFixture.route;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The explanations of {@code /api/auth/why}. The permission matrix proves that they are true. */
class WhyTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made ann = fixture.user("ann", Role.MEMBER, "*");
    private final Made bob = fixture.user("bob", Role.MEMBER, "*");

    @BeforeEach
    void prepare() {
        for (var step : """
                AP_Create {'vx':{'name':'Ada','description':'d','access':'public'}}
                AP_Create {'vx':{'name':'Hidden','description':'d'}}
                DM_Create {'vx':{'name':'Den','description':'d','access':'public'}}
                ZN_Create {'target':{'domain':'Den'},'vx':{'name':'tea'}}
                MB_Create {'vx':{'name':'Box','access':'public'}}
                DC_Submit {'name':'Guide.md','text':'How to find the harbour.'}""".lines().toList()) {
            done(call(ann, step.split(" ")[0], step.substring(step.indexOf(' '))));
        }
        done(call(bob, "AP_Create", "{'vx':{'name':'Bo','description':'d','access':'public'}}"));
    }

    private static Got why(Made key, String query) {
        return route(key, "GET", "/api/auth/why?" + query, "");
    }

    private static JsonNode answer(Made key, String query) {
        var got = why(key, query);
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        return got.json();
    }

    private static String missing(Made key, String query) {
        var answer = answer(key, query);
        assertThat(answer.path("may").asBoolean()).isFalse();
        return answer.path("missing").toString();
    }

    @Test
    void whoMayHearsWhatItHas() {
        var answer = answer(ann, "tool=AP_Update&target=agent:ada");
        assertThat(answer.path("may").asBoolean()).isTrue();
        assertThat(answer.path("missing")).isEmpty();
        assertThat(answer.path("capability").toString())
                .isEqualTo("{\"needed\":\"agent:write\",\"yours\":[\"*\"],\"held\":true}");
        assertThat(answer.path("role").toString())
                .isEqualTo("{\"needed\":\"member\",\"yours\":[\"member\"],\"held\":true}");
        assertThat(answer.path("toolset").toString())
                .isEqualTo("{\"needed\":\"agent\",\"yours\":[\"default\"],\"held\":true}");
        assertThat(answer.path("target").toString()).isEqualTo("""
                {"kind":"agent","name":"Ada","owner":"ann","access":"public","relations":["owner","public","roster"],\
                "needed":"that it is yours, or that you are an admin","held":true}""");
    }

    @Test
    void allThatIsMissingIsToldWithWhoCanGiveIt() {
        var viewer = fixture.user("vic", Role.VIEWER, "*");
        var narrow = make(ann, "'capabilities':['agent:read','key:read'],'toolset':['bank','key']");
        assertThat(missing(narrow, "tool=AP_Destroy"))
                .contains("lacks the capability 'agent:write'", "limited to the toolset", "AK_Update");
        assertThat(missing(viewer, "tool=AP_Destroy&target=agent:Ada"))
                .contains("your role is 'viewer'", "US_Update", "belongs to 'ann'");
        assertThat(missing(ann, "tool=AC_Audit")).contains("needs the role 'admin'");
    }

    /** The caller is bob, who sees what ann has. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            AP_Update  | agent:Ada    | belongs to 'ann'
            AP_LogOn   | agent:Ada    | only the owner of the agent 'Ada', 'ann', may log on as it
            MB_Create  | agent:Ada    | may act as it
            DM_Destroy | domain:Den   | belongs to 'ann'
            DM_Ban     | domain:Den   | the domain's owner 'ann', an admin, or whoever is logged on as its host
            ZN_Enter   | zone:Den/tea | ask to let one in with DM_Invite
            AP_Chat    | domain:Den   | none of your agents is a member
            MB_Store   | bank:Box     | needs the permission 'append' on the bank 'Box', but you hold 'read'; its owner 'ann'
            MB_Destroy | bank:Box     | only the owner of the bank 'Box', 'ann'
            DC_Delete  | document:Guide.md | submitted by somebody else, 'ann': only that user or an admin
            DC_Validate | document:Guide.md | submitted by somebody else, 'ann'
            """)
    void whatDecidesAboutAThingIsToldAsTheRefusalTellsIt(String tool, String target, String noted) {
        assertThat(missing(bob, "tool=%s&target=%s".formatted(tool, target))).contains(noted);
    }

    @Test
    void whoMayReadDocumentsHearsOfThem() {
        var answer = answer(bob, "tool=DC_Read&target=document:guide.md");
        assertThat(answer.path("may").asBoolean()).isTrue();
        assertThat(answer.path("target").toString()).isEqualTo("""
                {"kind":"document","name":"Guide.md","owner":"ann","relations":[],"needed":"that you may see it","held":true}""");
        assertThat(answer(ann, "tool=DC_Delete&target=document:guide.md")
                        .at("/target/relations")
                        .toString())
                .isEqualTo("[\"owner\"]");
        assertThat(why(bob, "tool=DC_Read&target=document:none.md").status()).isEqualTo(404);
    }

    /** MB_Files views with the permission read. */
    @Test
    void whoMayOnlyViewFilesHearsIt() {
        var answer = answer(bob, "tool=MB_Files&target=bank:Box");
        assertThat(answer.path("may").asBoolean()).isTrue();
        assertThat(answer.at("/target/only").asString()).isEqualTo("viewing");
    }

    /** MB_Permissions sets a permission with vx.access, and reports without. */
    @Test
    void whoMayOnlyReadByAToolHearsWhatTheRestNeeds() {
        var viewer = fixture.user("vic", Role.VIEWER, "bank:read");
        var answer = answer(viewer, "tool=MB_Permissions&target=bank:Box");
        assertThat(answer.path("may").asBoolean()).isTrue();
        assertThat(answer.path("missing")).isEmpty();
        assertThat(answer.path("only").asString())
                .startsWith("reading, without vx.access: your role is 'viewer'")
                .contains("lacks the capability 'bank:write'");
        assertThat(answer.path("capability").toString())
                .isEqualTo("{\"needed\":\"bank:read\",\"yours\":[\"bank:read\"],\"held\":true}");
        assertThat(answer.path("role").toString())
                .isEqualTo("{\"needed\":\"viewer\",\"yours\":[\"viewer\"],\"held\":true}");
        assertThat(answer(ann, "tool=MB_Permissions").has("only")).isFalse();
        var neither = fixture.user("val", Role.VIEWER, "bank:write");
        assertThat(missing(neither, "tool=MB_Permissions"))
                .contains(
                        "your role is 'viewer'",
                        "lacks the capability 'bank:read', which MB_Permissions without vx.access");
        assertThat(KeyFixture.listed(viewer)).contains("MB_Permissions").doesNotContain("MB_Create");
        assertThat(KeyFixture.listed(viewer, "X-MCP-Readonly", "true")).doesNotContain("MB_Permissions");
        assertThat(KeyFixture.listed(neither)).doesNotContain("MB_Permissions");
        for (var key : List.of(viewer, neither)) {
            var tools =
                    route(key, "GET", "/api/mcp/tools", "").json().path("tools").valueStream();
            assertThat(tools.anyMatch(tool -> tool.path("name").asString().equals("MB_Permissions")))
                    .isEqualTo(key == viewer);
        }
    }

    @Test
    void membershipsBansAndPermissionsAreRelations() {
        done(call(bob, "DM_Invite", "{'target':{'domain':'Den','agent':'Bo'}}"));
        assertThat(answer(bob, "tool=ZN_Read&target=zone:Den/tea")
                        .at("/target/relations")
                        .toString())
                .isEqualTo("[\"public\",\"member\"]");
        assertThat(answer(bob, "tool=DM_Kick&target=domain:Den")
                        .at("/target/only")
                        .asString())
                .isEqualTo("agents of your own");
        done(call(ann, "DM_Ban", "{'target':{'domain':'Den','agent':'Bo'}}"));
        assertThat(missing(bob, "tool=DM_Invite&target=domain:Den")).contains("'Bo' is banned", "DM_Unban", "'ann'");
        done(call(ann, "MB_Permissions", "{'target':{'bank':'Box','agent':'Bo'},'vx':{'access':'append'}}"));
        var bank = answer(bob, "tool=MB_Store&target=bank:Box").path("target");
        assertThat(bank.path("permission").asString()).isEqualTo("append");
        assertThat(bank.path("via").asString()).isEqualTo("grant");
    }

    @Test
    void whoIsLoggedOnCounts() {
        done(call(bob, "DM_Invite", "{'target':{'domain':'Den','agent':'Bo'}}"));
        done(call(bob, "AP_Create", "{'vx':{'name':'Cy','description':'d'}}"));
        done(call(bob, "AP_LogOn", "{'target':{'agent':'Cy','context':'c'}}"));
        assertThat(answer(bob, "tool=AP_Chat&target=domain:Den").path("may").asBoolean())
                .isTrue();
        assertThat(missing(bob, "tool=AP_Chat&target=domain:Den&context=c")).contains("the agent 'Cy' is not a member");
        var bound = make(bob, "'capabilities':['*'],'agent':'Cy'");
        assertThat(missing(bound, "tool=AP_LogOn&target=agent:Bo")).contains("bound to another agent");
    }

    @ParameterizedTest
    @CsvSource({
        "AP_Update, agent:Hidden, agent:Nowhere",
        "DM_Read, domain:Secret, domain:Nowhere",
        "ZN_Read, zone:Den/secret, zone:Den/nowhere",
        "MB_Read, bank:Secret, bank:Nowhere"
    })
    void aHiddenThingLooksAbsent(String tool, String hidden, String absent) {
        done(call(ann, "DM_Create", "{'vx':{'name':'Secret','description':'d'}}"));
        done(call(ann, "MB_Create", "{'vx':{'name':'Secret'}}"));
        var one = why(bob, "tool=%s&target=%s".formatted(tool, hidden));
        var other = why(bob, "tool=%s&target=%s".formatted(tool, absent));
        assertThat(one.status()).isEqualTo(404);
        assertThat(other.status()).isEqualTo(404);
        assertThat(one.note().replaceAll("(?i)Hidden|Secret", "#"))
                .isEqualTo(other.note().replaceAll("(?i)Nowhere", "#"));
    }

    @ParameterizedTest
    @CsvSource({
        "AP_Read, agent:Ada, agent:Nowhere",
        "DM_Read, domain:Den, domain:Nowhere",
        "ZN_Read, zone:Den/tea, zone:Den/nowhere",
        "MB_Destroy, bank:Box, bank:Bax",
        "AK_Read, key:$, key:nowhere",
        "AK_Usage, key:$, key:nowhere",
        "US_Read, user:ann, user:nobody"
    })
    void aKeyThatMayNeitherReadNorDoItHearsNothingOfAThing(String tool, String target, String absent) {
        for (var limits : List.of("'capabilities':['skill:read']", "'capabilities':['*'],'toolset':['account']")) {
            var narrow = make(ann, limits);
            var there = answer(narrow, "tool=%s&target=%s".formatted(tool, target.replace("$", ann.id())));
            assertThat(there.has("target")).as(there.toString()).isFalse();
            assertThat(there.path("missing")).hasSize(1);
            assertThat(answer(narrow, "tool=%s&target=%s".formatted(tool, absent)))
                    .isEqualTo(there);
        }
    }

    @Test
    void aKeyIsAThingToo() {
        assertThat(answer(ann, "tool=AK_Rotate&target=key:" + ann.id())
                        .at("/target/owner")
                        .asString())
                .isEqualTo("ann");
        assertThat(why(bob, "tool=AK_Rotate&target=key:" + ann.id()).status()).isEqualTo(404);
    }

    @Test
    void whatTheCredentialItselfLacksIsToldWithoutAThing() {
        var boss = fixture.user("boss", Role.ADMIN, "*");
        done(call(boss, "AP_Create", "{'vx':{'name':'Cap','description':'d'}}"));
        var bound = make(boss, "'capabilities':['*'],'agent':'Cap'");
        assertThat(missing(bound, "tool=US_Create")).contains("bound to an agent, so it cannot manage users");
        assertThat(missing(bound, "tool=AP_Create&target=user:ann")).contains("acts for its own user only");
        assertThat(missing(bound, "tool=AP_Modify&target=agent:Ada")).contains("bound to another agent than 'Ada'");
        var old = make(ann, "'capabilities':['*']");
        done(call(ann, "AK_Rotate", "{'id':'%s','overlap_seconds':3600}".formatted(old.id())));
        assertThat(missing(old, "tool=AK_Create")).contains("newer secret");
        assertThat(answer(old, "tool=AK_Revoke&target=key:" + old.id())
                        .path("may")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void whomOneMayNotActForIsNotLookedFor() {
        var there = missing(ann, "tool=AP_Create&target=user:bob");
        assertThat(there).contains("only an admin acts for others");
        assertThat(missing(ann, "tool=AP_Create&target=user:nobody")).isEqualTo(there);
        assertThat(answer(ann, "tool=AP_Create&target=user:ANN").path("may").asBoolean())
                .isTrue();
        var boss = fixture.user("boss", Role.ADMIN, "*");
        assertThat(answer(boss, "tool=AP_Create&target=user:Bob").at("/target").toString())
                .isEqualTo("""
                        {"kind":"user","name":"bob","owner":"bob","relations":["admin"],\
                        "needed":"that it is you, or that you are an admin whose key is neither bound to an agent nor another key's child",\
                        "held":true}""");
        assertThat(why(boss, "tool=AP_Create&target=user:nobody").status()).isEqualTo(404);
        fixture.user("top", Role.OWNER, "*");
        assertThat(missing(boss, "tool=US_Remove&target=user:top")).contains("only an owner of the tenant");
        assertThat(missing(boss, "tool=US_Remove&target=user:boss")).contains("you cannot remove yourself");
    }

    @Test
    void whatAKeyHasAndWhoseItIsCounts() {
        var boss = fixture.user("boss", Role.ADMIN, "*");
        var top = fixture.user("top", Role.OWNER, "*");
        assertThat(missing(boss, "tool=AK_Revoke&target=key:" + top.id())).contains("the role 'owner'");
        var narrow = make(ann, "'capabilities':['key:write','key:read']");
        assertThat(missing(narrow, "tool=AK_Rotate&target=key:" + ann.id()))
                .contains("lacks *", "ask an admin whose key has more");
        assertThat(answer(narrow, "tool=AK_Update&target=key:" + ann.id())
                        .at("/target/only")
                        .asString())
                .startsWith("taking away: your key lacks *");
        done(call(ann, "AK_Revoke", "{'id':'%s'}".formatted(narrow.id())));
        assertThat(missing(ann, "tool=AK_Rotate&target=key:" + narrow.id())).contains("revoked, for good");
        assertThat(missing(ann, "tool=AK_Update&target=key:" + narrow.id())).contains("revoked, for good");
    }

    /** A permission that is set for the agent of the call also limits the agent's owner. */
    @Test
    void anOwnerWhoseAgentIsHeldToLessHearsSo() {
        done(call(ann, "MB_Permissions", "{'target':{'bank':'Box','agent':'Ada'},'vx':{'access':'append'}}"));
        done(call(ann, "AP_LogOn", "{'target':{'agent':'Ada'}}"));
        var missing = answer(ann, "tool=MB_Destroy&target=bank:Box").path("missing");
        assertThat(missing).hasSize(1);
        assertThat(missing.get(0).asString())
                .isEqualTo(call(ann, "MB_Destroy", "{'target':{'bank':'Box'}}").note());
        assertThat(answer(ann, "tool=MB_Store&target=bank:Box")
                        .at("/target/only")
                        .asString())
                .isEqualTo("adding, and replacing what the same author stored");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            -                                   | 422 | tool is required
            tool=AP_Updat                       | 404 | AP_Update
            tool=AP_Update&target=Ada           | 422 | agent
            tool=AP_Update&target=agent:        | 422 | agent:Ada
            tool=AP_Update&target=domain:Den    | 422 | its kinds are agent
            tool=AP_Update&target=agent:%2F     | 422 | target
            tool=DM_List&target=agent:Ada       | 422 | must be left out
            tool=AP_List&target=agent:Ada       | 422 | its kinds are user
            tool=ZN_Read&target=zone:Den        | 422 | zone:Den/tea
            """)
    void aQuestionThatCannotBeAnsweredIsExplained(String query, int status, String noted) {
        var got = why(ann, query == null ? "" : query);
        assertThat(got.status()).as(got.toString()).isEqualTo(status);
        assertThat(got.note()).contains(noted);
    }

    @Test
    void itIsAnsweredToCallersOnly() {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/auth/why?tool=AP_List"));
        assertThat(ClientApi.send(request.build()).statusCode()).isEqualTo(401);
    }

    /** A new tool that names a thing must declare what it requires of the thing. */
    @Test
    void itCanBeAskedOfEveryToolThatIsRunOnAThing() {
        for (var tool : TestDatabase.catalogue().tools()) {
            var fields = tool.inputSchema()
                    .json()
                    .at("/properties/target/properties")
                    .propertyNames();
            var kind = fields.contains(tool.family().word())
                    ? tool.family().word()
                    : tool.family() == Family.ZONE && fields.contains("zone") ? "zone" : "";
            var isList = tool.name().endsWith("_List") || tool.name().endsWith("_Create");
            if (!kind.isEmpty() && !kind.equals("user") && !isList) {
                var got = why(ann, "tool=%s&target=%s:nowhere%%2Fx".formatted(tool.name(), kind));
                assertThat(got.note()).as(tool.name()).doesNotContain("its kinds are", "must be left out");
            }
        }
    }
}
