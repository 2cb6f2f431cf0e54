package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The tasks and reservations of a space in the console, which {@code console-board.mjs} works with in real Chromium. */
@Tag("slow")
class ConsoleBoardTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static TestTenant tenant;
    private static final String MARKUP = "<img src=x onerror=alert(1)>";
    private static final String PAINT = "Paint " + MARKUP + "<script>alert(2)</script>" + "W".repeat(120);
    private static Steps steps;

    @BeforeAll
    static void play() {
        Chromium.require();
        tenant = new TestTenant();
        var owner = tenant.key(ClientApi.REST, "olga", Role.OWNER, List.of("*"));
        var ann = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        var bob = tenant.key(ClientApi.REST, "bob", Role.MEMBER, List.of("*"));
        var vera = tenant.key(ClientApi.REST, "vera", Role.MEMBER, List.of("*"));
        call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'Hosts.','access':'public'}}");
        call(ann, "DM_Create", "{'target':{'agent':'Ada'},'vx':{'name':'Yard','description':'Builds boats.'}}");
        call(bob, "DM_Create", "{'vx':{'name':'Pier','description':'For all.','access':'public'}}");
        join(ann, bob, "Ben");
        join(ann, vera, "Vi");
        call(owner, "US_Update", "{'target':{'user':'vera'},'vx':{'access':'viewer'}}");
        var keel = create(ann, "Lay the keel");
        create(ann, PAINT);
        var ben = call(bob, "AK_Create", "{'name':'ben','agent':'Ben','capabilities':['*']}")
                .text("/api_key");
        steps = Chromium.play(
                Map.of(
                        "ANN_KEY",
                        ann,
                        "BOB_KEY",
                        bob,
                        "BEN_KEY",
                        ben,
                        "VERA_KEY",
                        vera,
                        "KEEL",
                        keel,
                        "MARKUP",
                        MARKUP),
                "console-board.mjs",
                TestServer.url(),
                SCREENSHOTS.toString());
    }

    private static Reply call(String key, String tool, String arguments) {
        return TestCaller.of(ClientApi.REST, key).call(tool, arguments).ok();
    }

    private static void join(String host, String owner, String agent) {
        call(owner, "AP_Create", "{'vx':{'name':'%s','description':'Works.','access':'public'}}".formatted(agent));
        for (var key : List.of(host, owner)) {
            call(key, "DM_Invite", "{'target':{'domain':'Yard','agent':'%s'}}".formatted(agent));
        }
    }

    private static String create(String key, String title) {
        return call(key, "TK_Create", "{'target':{'domain':'Yard'},'vx':{'name':'%s'}}".formatted(title))
                .text("/task/id");
    }

    private static List<String> column(String step, String state) {
        return texts(steps.only(step).path("columns").path(state));
    }

    @Test
    void theBoardHasAnAddressAndShowsTitlesAsText() {
        var start = steps.only("begun");
        assertThat(start.path("address").asString()).isEqualTo("/console/spaces/Yard?view=tasks");
        assertThat(start.path("title").asString()).startsWith("Tasks · Yard · Spaces");
        assertThat(column("begun", "open")).containsExactly(PAINT, "Lay the keel");
        assertThat(start.path("markup").asInt()).isZero();
    }

    @Test
    void aTaskThatAnAgentClaimsMovesInEveryBrowserWithoutAReload() {
        assertThat(column("claimed", "open")).containsExactly(PAINT);
        assertThat(column("claimed", "doing")).containsExactly("Lay the keel");
        assertThat(steps.only("claimed").path("holder").asString()).matches("(?s).*Ben.*\\d+ min left.*");
        assertThat(steps.only("claimed").path("stays").asBoolean()).isTrue();
        assertThat(steps.only("done").path("stays").asBoolean()).isTrue();
    }

    /** Announcements of several tasks can be one message. */
    @Test
    void eachAnnouncementOfATaskLeadsToItByItsTitle() {
        var announced = steps.only("announced");
        assertThat(texts(announced.path("titles")))
                .contains("Lay the keel")
                .anyMatch(title -> title.startsWith("Rig it"));
        assertThat(texts(announced.path("words"))).noneMatch(words -> words.contains("(task "));
    }

    @Test
    void aPersonCreatesATaskForAnAgentThatComesAfterAnother() {
        assertThat(steps.only("created").path("words").asString())
                .contains("Rig it " + MARKUP, "waits for Lay the keel", "for Ben", "rope", "sail");
        assertThat(steps.only("done").path("ready").asString())
                .as("once the other is done")
                .contains("ready")
                .doesNotContain("waits");
        assertThat(steps.only("after").path("after").asString()).contains("done", "Lay the keel");
        assertThat(steps.only("after").path("link").asString()).startsWith("/console/spaces/Yard?task=");
    }

    @Test
    void whoHeldATaskThatWasTakenAwayChangesNothing() {
        assertThat(steps.only("taken away").path("late").asString()).isEqualTo("conflict");
        assertThat(steps.only("taken away").path("for").isMissingNode()).isTrue();
        assertThat(steps.only("taken away").path("title").asString()).startsWith("Lay the keel · Yard");
    }

    @Test
    void aTasksPageShowsWhoDidWhatAndWhichMessagesNameIt() {
        var task = steps.only("task");
        assertThat(task.path("words").asString()).contains("Which wood? " + MARKUP, "Ben", "You know wood.", "Fence");
        assertThat(task.path("state").asString()).as("beside the title").isEqualTo("blocked");
        assertThat(task.path("order").valueStream().map(JsonNode::asInt))
                .as("on a phone: state, record, description, details")
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(task.path("fences").asInt())
                .as("until the details are opened")
                .isZero();
        assertThat(texts(task.path("messages")))
                .singleElement()
                .satisfies(message -> assertThat(message).contains("Ben", "main", "Who knows about"));
        assertThat(task.path("markup").asInt()).isZero();
        assertThat(steps.only("done").path("history").asString().split("\n"))
                .as("newest first")
                .containsSubsequence("Oak.", "You know wood.");
    }

    @Test
    void reservationsAreListedAndOnlyOnesOwnAreReleased() {
        assertThat(texts(steps.only("reserved").path("rows")))
                .anySatisfy(row -> assertThat(row).contains("README.md", "hull/**", "Ben: planks " + MARKUP, "left"))
                .anySatisfy(row -> assertThat(row).contains("docs/**", "ann"));
        assertThat(texts(steps.only("reserved").path("buttons"))).containsExactly("Release docs/**");
    }

    @Test
    void aPersonClaimsATaskExtendsTheLeaseAndBlocksIt() {
        assertThat(steps.only("own").path("record").asString()).contains("bob", " h ");
        assertThat(steps.only("own").path("history").asString())
                .containsSubsequence("bob blocked it", "No rope.", "bob extended the lease", "bob claimed it");
    }

    @Test
    void theWorldShowsWhoWorksOnWhat() {
        assertThat(steps.only("world").path("work").asString()).contains("Ben", "Lay the keel", "Yard", "left");
    }

    @Test
    void aCancelledTaskIsApart() {
        assertThat(column("cancelled", "open")).containsExactly(PAINT);
        assertThat(column("cancelled", "done")).containsExactly("Lay the keel");
    }

    @Test
    void aViewerSeesTheTasksAndIsOfferedNoChange() {
        assertThat(column("viewer", "done")).containsExactly("Lay the keel");
        assertThat(steps.only("viewer").path("offered").valueStream())
                .hasSizeGreaterThan(1)
                .allMatch(button -> button.path(1).asBoolean())
                .allMatch(button -> button.path(2).asString().contains("does not allow TK_"));
    }

    @Test
    void whoTakesNoPartReadsWhy() {
        assertThat(steps.only("viewer").path("outside").asString()).contains("Only members see the tasks");
    }

    @Test
    void nothingIsWrongOnTheWay() {
        assertThat(steps.only("faults").path("faults").valueStream().map(JsonNode::asString))
                .isEmpty();
        assertThat(steps.of("a script ran")).isEmpty();
    }
}
