package io.agentworkspace.engine.workspace.agents;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

    private static void create(TestCaller owner, String name, String access) {
        owner.call("AP_Create", "{'vx':{'name':'%s','description':'d','access':'%s'}}".formatted(name, access))
                .ok();
    }

    @Test
    void aNewAgentIsOnItsOwnersRoster() {
        var made = ann.call("AP_Create", "{'vx':{'name':' Ada ','description':'Keeps the books.'}}")
                .ok();
        assertThat(made.text("/agent/name")).isEqualTo("Ada");
        assertThat(made.text("/agent/access")).isEqualTo("private");
        assertThat(made.text("/agent/owner")).isEqualTo("ann");
        assertThat(made.number("/revision")).isEqualTo(1);
        assertThat(made.at("/agent/profile").isMissingNode()).isTrue();
        assertThat(ann.call("AP_List").ok().texts("/profile", "name")).containsExactly("Ada");
    }

    @Test
    void creatingNeedsNameAndDescription() {
        ann.call("AP_Create").refused(1003, "vx.name and vx.description are required");
        ann.call("AP_Create", "{'vx':{'name':'Ada'}}").refused(1003, "vx.description is required");
        ann.call("AP_Create", "{'vx':{'name':' ','description':'d'}}").refused(1003, "vx.name is required");
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d','access':'bank'}}")
                .refused(1004, "vx.access", "private, agent, domain, public");
        assertThat(ann.call("AP_List").ok().at("/profile").size()).isZero();
    }

    @Test
    void namesAreUniqueWithoutRegardToCaseInAllOfTheTenant() {
        create(ann, "Ada", "private");
        tenant.member("bob")
                .call("AP_Create", "{'vx':{'name':'ADA','description':'d'}}")
                .refused(3002, "'ADA' is taken: choose another name, or change that agent with AP_Update");
    }

    @Test
    void theTextsKeepTheirLimits() {
        ann.call("AP_Create", args("a".repeat(64), "d".repeat(2_000), "p".repeat(16_000)))
                .ok();
        ann.call("AP_Create", args("a".repeat(65), "d", "p")).refused(1004, "vx.name", "1–64 characters");
        ann.call("AP_Create", args("b", "d".repeat(2_001), "p")).refused(1005, "vx.description", "2,000");
        ann.call("AP_Create", args("b", "d", "p".repeat(16_001))).refused(1005, "vx.profile", "16,000");
    }

    private static String args(String name, String description, String profile) {
        return "{'vx':{'name':'%s','description':'%s','profile':'%s'}}".formatted(name, description, profile);
    }

    @Test
    void someoneElsesAgentLooksMissing() {
        create(ann, "Ada", "private");
        var bob = tenant.member("bob");
        var hidden = bob.call("AP_Read", "{'target':{'agent':'Ada'}}")
                .refused(3001, "'Ada'")
                .note();
        var absent = bob.call("AP_Read", "{'target':{'agent':'Eve'}}")
                .refused(3001, "'Eve'")
                .note();
        assertThat(hidden.replace("Ada", "Eve")).isEqualTo(absent);
        for (var command :
                List.of("AP_Add", "AP_Remove", "AP_Destroy", "AP_Select", "AP_LogOn", "AP_LogOff", "AP_Modify")) {
            bob.call(command, "{'target':{'agent':'Ada'}}").refused(3001, "'Ada'");
        }
        bob.call("AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'Ada','description':'mine'}}")
                .refused(3001);
    }

    @Test
    void aPublicAgentIsSeenByAllAndChangedByItsOwnerAndAdmins() {
        create(ann, "Ada", "public");
        var bob = tenant.member("bob");
        bob.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        bob.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':'mine'}}")
                .refused(2003, "owner", "admins");
        bob.call("AP_Destroy", "{'target':{'agent':'Ada'}}").refused(2003, "owner", "admins");
        bob.call("AP_LogOn", "{'target':{'agent':'Ada'}}").refused(2003, "owner");
        tenant.person("root", Role.ADMIN)
                .call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':'theirs'}}")
                .ok();
    }

    @Test
    void anAgentForItsRosterIsSeenByWhoeverHasIt() {
        create(ann, "Ada", "public");
        var bob = tenant.member("bob");
        bob.call("AP_Add", "{'target':{'agent':'Ada'}}").ok();
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'access':'agent'}}")
                .ok();
        bob.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        tenant.member("eve").call("AP_Read", "{'target':{'agent':'Ada'}}").refused(3001);
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'access':'private'}}")
                .ok();
        bob.call("AP_Read", "{'target':{'agent':'Ada'}}").refused(3001);
        assertThat(bob.call("AP_List").ok().at("/profile").size()).isZero();
    }

    @Test
    void adminsSeeEverythingAndActForOthers() {
        create(ann, "Ada", "private");
        var root = tenant.person("root", Role.ADMIN);
        root.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        assertThat(root.call("AP_List", "{'target':{'user':'ANN'}}").ok().texts("/profile", "name"))
                .containsExactly("Ada");
        root.call("AP_Create", "{'target':{'user':'ann'},'vx':{'name':'Bea','description':'d'}}")
                .ok();
        assertThat(ann.call("AP_List").ok().texts("/profile", "name")).containsExactly("Ada", "Bea");
        root.call("AP_List", "{'target':{'user':'nobody'}}").refused(3001, "user", "'nobody'");
        ann.call("AP_List", "{'target':{'user':'root'}}").refused(2003, "target.user", "'ann'");
        ann.call("AP_List", "{'target':{'user':' Ann '}}").ok();
    }

    @Test
    void aViewerOnlyReads() {
        create(ann, "Ada", "public");
        var viewer = tenant.person("vic", Role.VIEWER);
        viewer.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        viewer.call("AP_Select", "{'target':{'agent':'Ada'}}").ok();
        viewer.call("AP_Create", "{'vx':{'name':'Bea','description':'d'}}").refused(2003, "viewer", "member", "admin");
        viewer.call("AP_Chat", "{'content':'x'}").refused(2003, "viewer");
    }

    @Test
    void listingWithANameListsTheVisibleAgentsThatBeginWithIt() {
        create(ann, "Clara", "private");
        create(ann, "Claus", "public");
        create(ann, "Dora", "public");
        var bob = tenant.member("bob");
        assertThat(bob.call("AP_List", "{'target':{'agent':'CLA'}}").ok().texts("/profile", "name"))
                .containsExactly("Claus");
        assertThat(bob.call("AP_List").ok().at("/profile").size()).isZero();
        assertThat(ann.call("AP_List", "{'target':{'agent':'cla'}}").ok().texts("/content", "agent"))
                .containsExactly("Clara", "Claus");
    }

    @Test
    void aListComesInPagesThatLoseNone() {
        var made = new ArrayList<String>();
        for (var i = 0; i < 12; i++) {
            made.add("Agent %02d".formatted(i));
            create(ann, made.getLast(), "private");
        }
        var seen = new ArrayList<String>();
        var cursor = "";
        do {
            var page = ann.call("AP_List", "{'page':{'limit':5%s}}".formatted(cursor))
                    .ok();
            seen.addAll(page.texts("/profile", "name"));
            cursor = page.text("/next_cursor").isEmpty() ? "" : ",'cursor':'%s'".formatted(page.text("/next_cursor"));
        } while (!cursor.isEmpty());
        assertThat(seen).isEqualTo(made);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{'page':{'limit':0}}", "{'page':{'limit':201}}", "{'page':{'cursor':'!'}}"})
    void aPageThatCannotBeIsRefused(String arguments) {
        ann.call("AP_List", arguments).refused(1004, "page.");
    }

    @Test
    void aCursorGoesOnInTheListThatGaveItOnly() {
        for (var name : List.of("Ada", "Bo")) {
            ann.call("AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(name))
                    .ok();
            ann.call("DM_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(name))
                    .ok();
            ann.call("MB_Create", "{'vx':{'name':'%s'}}".formatted(name)).ok();
        }
        var lists = List.of("AP_List", "DM_List", "MB_List");
        for (var list : lists) {
            var cursor = ann.call(list, "{'page':{'limit':1}}").ok().text("/next_cursor");
            for (var other : lists) {
                var answer = ann.call(other, "{'page':{'cursor':'%s'}}".formatted(cursor));
                if (other.equals(list)) {
                    assertThat(answer.ok().texts("/profile", "name")).containsExactly("Bo");
                } else {
                    answer.refused(
                            1004,
                            "page.cursor is not a next_cursor of this command with the same fields: send one unchanged, or leave it out for the first page");
                }
            }
            ann.call(list, "{'page':{'cursor':'zzz'}}").refused(1004, "page.cursor");
        }
    }

    @Test
    void whatIsRefusedBeforeItsContextIsReadTellsNothingOfIt() {
        create(ann, "Ada", "private");
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        for (var refused : List.of(
                ann.call("AP_Chat"),
                ann.call("AP_Create", "{'vx':{'name':'a!','description':'d'}}"),
                ann.call("AP_Create", "{'target':{'user':'bob'},'vx':{'name':'a','description':'d'}}"))) {
            assertThat(refused.code()).isNotZero();
            assertThat(refused.at("/header").has("context")).isFalse();
            assertThat(refused.at("/header").has("unread")).isFalse();
        }
        var read = ann.call("AP_Read", "{'target':{'agent':'Nobody'}}").refused(3001);
        assertThat(read.text("/header/context/self")).isEqualTo("Ada");
        assertThat(read.at("/header").has("unread")).isTrue();
    }

    @Test
    void aNameIsToldWhatIsWrongWithIt() {
        ann.call("AP_Create", args("Ada!", "d", "p")).refused(1004, "vx.name must be 1–64", "and not '!' (U+0021)");
        ann.call("AP_Create", args("Ada\\u0007", "d", "p")).refused(1004, "and not U+0007");
        ann.call("AP_Create", args("Ada\ud83d\ude00", "d", "p")).refused(1004, "and not '\ud83d\ude00' (U+1F600)");
        ann.call("AP_Create", args("a".repeat(65), "d", "p")).refused(1004, "it has 65");
    }

    @Test
    void updatingReplacesNameAndDescriptionAndKeepsTheRest() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'old','profile':'You are Ada.','access':'public'}}")
                .ok();
        ann.call("AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'Ida'}}")
                .refused(1003, "vx.description is required");
        var updated = ann.call("AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'Ida','description':'new'}}")
                .ok();
        assertThat(updated.text("/agent/name")).isEqualTo("Ida");
        assertThat(updated.number("/agent/profile_length")).isEqualTo("You are Ada.".length());
        assertThat(updated.text("/agent/access")).isEqualTo("public");
        assertThat(updated.number("/revision")).isEqualTo(2);
        ann.call("AP_Read", "{'target':{'agent':'Ada'}}").refused(3001, "did you mean 'Ida'?");
    }

    @Test
    void anAgentCannotTakeAnothersName() {
        create(ann, "Ada", "private");
        create(ann, "Bea", "private");
        ann.call("AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'bea','description':'d'}}")
                .refused(3002, "'bea'");
        ann.call("AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'ADA','description':'d'}}")
                .ok();
    }

    @Test
    void modifyingChangesJustWhatIsGiven() {
        create(ann, "Ada", "private");
        var same = ann.call("AP_Modify", "{'target':{'agent':'Ada'}}").ok();
        assertThat(same.at("/changed").asBoolean()).isFalse();
        assertThat(same.number("/revision")).isEqualTo(1);
        var changed = ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'profile':'p'}}")
                .ok();
        assertThat(changed.at("/changed").asBoolean()).isTrue();
        assertThat(changed.text("/agent/description")).isEqualTo("d");
        assertThat(changed.number("/revision")).isEqualTo(2);
        assertThat(ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':' ','profile':''}}")
                        .ok()
                        .number("/agent/profile_length"))
                .isEqualTo(1);
    }

    @Test
    void aStaleRevisionIsAConflict() {
        create(ann, "Ada", "private");
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'profile':'p'},'if_revision':1}")
                .ok();
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'profile':'q'},'if_revision':1}")
                .refused(3003, "if_revision is 1", "now 2");
        ann.call("AP_Destroy", "{'target':{'agent':'Ada'},'if_revision':1}").refused(3003, "if_revision");
        ann.call("AP_Destroy", "{'target':{'agent':'Ada'},'if_revision':2}").ok();
    }

    @Test
    void destroyingTakesNothingFromTheContext() {
        create(ann, "Ada", "private");
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        ann.call("AP_Select", "{'target':{'agent':'Ada'}}").ok();
        ann.call("AP_Destroy").refused(1003, "target.agent is required");
        var destroyed = ann.call("AP_Destroy", "{'target':{'agent':'Ada'}}").ok();
        assertThat(destroyed.at("/header/context/self").isMissingNode()).isTrue();
        assertThat(destroyed.at("/header/context/agent").isMissingNode()).isTrue();
        assertThat(ann.call("AP_Read").ok().at("/profile").size()).isZero();
        ann.call("AP_Destroy", "{'target':{'agent':'Ada'}}").refused(3001);
        create(ann, "Ada", "private");
    }

    @Test
    void everyChangeOfAnAgentIsAnEventOfTheSameTransaction() {
        create(ann, "Ada", "private");
        ann.call("AP_Modify", "{'target':{'agent':'Ada'}}").ok();
        ann.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'access':'public','profile':'p'}}")
                .ok();
        ann.call("AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'Ada','description':'x'},'if_revision':1}")
                .refused(3003);
        ann.call("AP_Destroy", "{'target':{'agent':'Ada'}}").ok();
        for (var api : ClientApi.values()) {
            assertThat(TestDatabase.db()
                            .sql(
                                    "SELECT type || ' ' || data AS line FROM event WHERE tenant_id = :tenant ORDER BY created_at, type")
                            .set("tenant", tenant.id(api))
                            .list(row -> row.text("line")))
                    .containsExactly(
                            "agent.deployment.created {\"agent\":\"Ada\",\"access\":\"private\",\"owner\":\"ann\",\"revision\":1}",
                            "agent.deployment.updated {\"agent\":\"Ada\",\"access\":\"public\",\"owner\":\"ann\",\"revision\":2,\"changed\":[\"profile\",\"access\"]}",
                            "agent.deployment.deleted {\"agent\":\"Ada\",\"access\":\"public\",\"owner\":\"ann\",\"revision\":2}");
        }
    }

    @Test
    void readingAnswersTheRecord() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d','profile':'You are Ada.'}}")
                .ok();
        var read = ann.call("AP_Read", "{'target':{'agent':'ADA'}}").ok();
        assertThat(read.text("/profile/0/profile")).isEqualTo("You are Ada.");
        assertThat(read.at("/content").isArray()).isTrue();
        assertThat(read.text("/header/contract_version")).isEqualTo("2026-05-25");
        ann.call("AP_Read", "{'target':{'agent':'Adda'}}").refused(3001, "did you mean 'Ada'?");
    }

    @Test
    void readingWithoutANameTakesTheSelectedAgentElseSelf() {
        create(ann, "Ada", "private");
        create(ann, "Bea", "private");
        assertThat(ann.call("AP_Read").ok().at("/profile").size()).isZero();
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        assertThat(ann.call("AP_Read").ok().text("/profile/0/name")).isEqualTo("Ada");
        ann.call("AP_Select", "{'target':{'agent':'Bea'}}").ok();
        assertThat(ann.call("AP_Read").ok().text("/profile/0/name")).isEqualTo("Bea");
    }

    /** A named agent is read by other statements than the selected one, and one with a long message like that too. */
    @Test
    void byNameItReadsTheSameAsBySelection() {
        create(ann, "Ada", "private");
        create(ann, "Bo", "private");
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'from a user'}")
                .ok();
        ann.call("DM_Create", "{'target':{'agent':'Ada'},'vx':{'name':'Den','description':'d'}}")
                .ok();
        ann.call("AP_LogOn", "{'target':{'agent':'Bo'}}").ok();
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'from an agent'}")
                .ok();
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        ann.call("AP_Chat", "{'target':{'agent':'Bo'},'content':'an answer'}").ok();
        ann.call("AP_Chat", "{'target':{'domain':'Den'},'content':'in a zone'}").ok();
        ann.call("AP_Chat", "{'to_user':true,'content':'to the user'}").ok();
        ann.call("AP_LogOff").ok();
        ann.call("AP_Select", "{'target':{'agent':'Ada'}}").ok();
        readsTheSame(ann, 5);
        readsTheSame(tenant.owner(), 5);
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'%s'}".formatted("long ".repeat(500)))
                .ok();
        readsTheSame(ann, 6);
    }

    private static void readsTheSame(TestCaller reader, int messages) {
        reader.call("AP_Select", "{'target':{'agent':'Ada'}}");
        for (var page : List.of("", ",'page':{'limit':2}")) {
            var named = reader.call("AP_Read", "{'target':{'agent':'ada'}%s}".formatted(page))
                    .ok();
            var selected = reader.call("AP_Read", "{%s}".formatted(page.replaceFirst(",", "")))
                    .ok();
            assertThat(named.at("/content").size()).isEqualTo(page.isEmpty() ? messages : 2);
            for (var field : List.of("/profile", "/content")) {
                assertThat(named.at(field)).isEqualTo(selected.at(field));
            }
        }
    }
}
