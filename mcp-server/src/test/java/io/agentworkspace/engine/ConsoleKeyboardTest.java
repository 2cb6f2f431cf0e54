package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks in the console without a mouse, which {@code console-keyboard.mjs} does in real Chromium; then the test reads the results from the server. */
@Tag("slow")
class ConsoleKeyboardTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static Steps steps;

    private static String owner;

    @BeforeAll
    static void play() {
        Chromium.require();
        var tenant = new TestTenant();
        owner = tenant.key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));
        var mia = tenant.person(ClientApi.REST, "mia", Role.MEMBER);
        mia.call("AP_Create", "{'vx':{'name':'Mo','description':'Joins.','access':'public'}}")
                .ok();
        call("AP_Add", "{'target':{'agent':'Mo'}}").ok();
        call("AP_Create", "{'vx':{'name':'Ada','description':'Hosts.'}}").ok();
        call("AP_Create", "{'vx':{'name':'Bo','description':'Stores.'}}").ok();
        call("DM_Create", "{'target':{'agent':'Ada'},'vx':{'name':'plaza','description':'For all.'}}")
                .ok();
        call("MB_Create", "{'target':{'agent':'Ada'},'vx':{'name':'notes'}}").ok();
        call("MB_Create", "{'target':{'agent':'Bo'},'vx':{'name':'shared'}}").ok();
        call("MB_Permissions", "{'target':{'bank':'notes','agent':'Bo'},'vx':{'access':'write'}}")
                .ok();
        call("MB_Store", "{'target':{'bank':'notes','agent':'Ada'},'content':'Low water at six.','vx':{'name':'tide'}}")
                .ok();
        call("MB_Store", "{'target':{'bank':'notes','agent':'Bo'},'content':'False: high water at six.'}")
                .ok();
        call("WH_Create", "{'url':'http://127.0.0.1:9/hooks','events':['document.accepted']}")
                .ok();
        var ada = call("AK_Create", "{'name':'ada','agent':'Ada','capabilities':['*']}")
                .ok()
                .text("/api_key");
        var atAda = TestCaller.of(ClientApi.REST, ada);
        atAda.call("AP_Chat", "{'to_user':true,'content':'The keel is laid.'}").ok();
        TestDatabase.db()
                .sql("UPDATE message SET created_at = created_at - INTERVAL '1 day' WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        atAda.call("AP_Ask", "{'content':'Oak or pine?','choices':['Oak','Pine']}")
                .ok();
        mia.call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':'Mine.'}}")
                .refused(3001, "Ada");
        steps = Chromium.play(
                Map.of("OWNER_KEY", owner, "VIEWER_KEY", tenant.key(ClientApi.REST, "vera", Role.VIEWER, List.of("*"))),
                "console-keyboard.mjs",
                TestServer.url(),
                SCREENSHOTS.toString());
    }

    private static Reply call(String tool, String arguments) {
        return TestCaller.of(ClientApi.REST, owner).call(tool, arguments);
    }

    @Test
    void nothingIsWrongWithAnyPage() {
        assertThat(texts(steps.only("faults").path("faults"))).isEmpty();
    }

    @Test
    void whatHasTheFocusIsSeen() {
        assertThat(texts(steps.only("faults").path("hidden"))).isEmpty();
    }

    @Test
    void tablesAndListsHaveNames() {
        assertThat(texts(steps.only("faults").path("nameless"))).isEmpty();
    }

    @Test
    void theFocusIsOnTheTitleOfANewPage() {
        var step = steps.only("pages");
        assertThat(texts(step.path("titles"))).hasSize(12).isEqualTo(texts(step.path("expected")));
        assertThat(texts(step.path("letters")))
                .containsExactly(
                        "/console/agents",
                        "/console/activity",
                        "/console/spaces",
                        "/console/settings",
                        "/console/world",
                        "/console/webhooks");
    }

    @Test
    void anAgentIsCreatedAndAnotherChanged() {
        var step = steps.only("agents");
        assertThat(step.path("kept").asString()).isEqualTo("/console/agents/Ada");
        assertThat(step.path("after").asString()).isEqualTo("New agent");
        assertThat(step.path("edited").asString()).isEqualTo("Edit");
        assertThat(step.path("meanwhile").asString()).startsWith("Somebody else has changed this.");
        assertThat(step.path("escaped").asString()).isEqualTo("Delete");
        var agents = call("AP_List", "{}").ok();
        assertThat(agents.texts("/profile", "name")).contains("Kay");
        assertThat(agents.texts("/profile", "description")).contains("Steers.", "Hosts by keyboard.");
    }

    @Test
    void messagesAreWrittenAndAnswered() {
        assertThat(steps.only("messages").path("escaped").asString()).isEqualTo("Invite");
        assertThat(call("ZN_Read", "{'target':{'domain':'plaza','zone':'main'}}")
                        .ok()
                        .texts("/content", "content"))
                .containsSubsequence("By keyboard.", "An answer.");
    }

    @Test
    void memoriesAreFoundStoredAndCensored() {
        var step = steps.only("memories");
        assertThat(step.path("stored").asString()).isEqualTo("Store a memory");
        assertThat(step.path("preview").asString()).contains("by Bo").doesNotContain("Ada");
        assertThat(call("MB_Read", "{'target':{'bank':'notes'}}").ok().texts("/content", "text"))
                .containsExactlyInAnyOrder("Low water at six.", "Stored by keyboard.");
    }

    @Test
    void aPermissionIsSet() {
        var step = steps.only("permissions");
        assertThat(step.path("escaped").asString()).isEqualTo("Mo on shared: none");
        assertThat(step.path("after").asString()).isEqualTo("Mo on shared: append");
        assertThat(call("MB_Permissions", "{'target':{'bank':'shared'}}").ok().texts("/permissions", "permission"))
                .contains("append");
    }

    @Test
    void aKeyGetsTheCapabilitiesThatWereChecked() {
        var step = steps.only("keys");
        assertThat(texts(step.path("capabilities")))
                .containsExactlyInAnyOrder("agent:read", "agent:write", "domain:read", "bank:read");
        assertThat(step.path("after").asString()).isEqualTo("New key");
        assertThat(step.path("escaped").asString()).isEqualTo("Revoke");
    }

    @Test
    void aDocumentIsSubmittedLoadedAndDeleted() {
        assertThat(steps.only("documents")).isNotNull();
        assertThat(call("DC_List", "{}").ok().at("/documents")).isEmpty();
    }

    @Test
    void aRuleIsTriedAndCreated() {
        var step = steps.only("rules");
        assertThat(step.path("outcome").asString()).contains("matches");
        assertThat(step.path("escaped").asString()).isEqualTo("Switch off");
        assertThat(call("RL_List", "{}").ok().texts("/rules", "name")).containsExactly("no destroying");
    }

    /** Each in at most five: a page by its letters, a link, a button, a choice. */
    @Test
    void whatPeopleWantMostTakesAtMostFiveChoices() {
        var errands = steps.only("errands");
        assertThat(errands.path("chosen").properties())
                .hasSize(5)
                .allSatisfy(errand -> assertThat(errand.getValue().asInt())
                        .as(errand.getKey())
                        .isBetween(1, 5));
        assertThat(errands.path("why").asString()).contains("Result", "How to allow it");
        assertThat(call("MB_Permissions", "{'target':{'bank':'shared'}}").ok().texts("/permissions", "agent"))
                .contains("Ada");
    }

    @Test
    void theActivityIsFiltered() {
        assertThat(steps.only("activity").path("first").asString()).isEqualTo("Person");
        assertThat(texts(steps.only("activity").path("rows"))).containsExactly("MB_Censor");
    }

    @Test
    void aButtonThatMayNotBeUsedGivesTheReason() {
        var step = steps.only("refused");
        assertThat(step.path("described").asString()).isEqualTo("Your key or role does not allow AP_Create");
        assertThat(step.path("pressed").asString()).isEqualTo("Your key or role does not allow AP_Create.");
        assertThat(step.path("dialogs").asInt()).isZero();
    }

    @Test
    void escapeLeavesTheFocusWhereItWas() {
        assertThat(steps.only("search").path("escaped").asString()).isEqualTo("The calls of this page as code");
        assertThat(steps.only("search").path("closed").asString()).isEqualTo("The calls of this page as code");
    }
}
