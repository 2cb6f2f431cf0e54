package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Film;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The console in real Chromium, driven by {@code console.mjs}. */
@Tag("slow")
class ConsoleTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static final String MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    private static Steps steps;
    private static TestTenant tenant;
    private static String owner;

    @BeforeAll
    static void play() {
        Chromium.require();
        tenant = new TestTenant();
        owner = tenant.key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));
        var member = tenant.key(ClientApi.REST, "marta", Role.ADMIN, List.of("*"));
        fill();
        var keys = Map.of(
                "OWNER_KEY",
                owner,
                "MEMBER_KEY",
                member,
                "VIEWER_KEY",
                tenant.key(ClientApi.REST, "vera", Role.VIEWER, List.of("*")),
                "NARROW_KEY",
                tenant.key(ClientApi.REST, "nora", Role.MEMBER, List.of("bank:read")),
                "EMPTY_KEY",
                new TestTenant().key(ClientApi.REST, "emma", Role.OWNER, List.of("*")));
        steps = Chromium.play(keys, "console.mjs", TestServer.url(), SCREENSHOTS.toString());
    }

    private static void fill() {
        call("AP_Create", """
                {"vx": {"name": "Ada", "description": "Watches the tide tables.", "profile": "%s", "access": "private"}}""");
        call("AP_Create", """
                {"vx": {"name": "Bo", "description": "%s"}}""");
        call("DM_Create", """
                {"target": {"agent": "Ada"}, "vx": {"name": "den", "description": "%s"}}""");
        call("DM_Invite", """
                {"target": {"domain": "den", "agent": "Bo"}}""");
        call("ZN_Create", """
                {"target": {"domain": "den"}, "vx": {"name": "night-watch"}}""");
        call("AP_Chat", """
                {"target": {"domain": "den"}, "content": "%s"}""");
        call("AP_LogOn", """
                {"target": {"agent": "Ada"}}""");
        call("AP_Chat", """
                {"target": {"domain": "den"}, "content": "Low water at 06:12 tomorrow."}""");
        call("AP_LogOff", "{}");
        call("MB_Create", """
                {"target": {"agent": "Ada"}, "vx": {"name": "notes", "description": "%s"}}""");
        call("MB_Store", """
                {"target": {"bank": "notes", "agent": "Ada"}, "content": "%s", "vx": {"name": "tide", "tags": ["sea"]}}""");
        call("MB_Store", """
                {"target": {"bank": "notes", "agent": "Ada"}, "content": "Neap tides are weaker than spring tides."}""");
        call("MB_Store", """
                {"target": {"bank": "notes", "agent": "Ada"}, "content": "Low water at 06:12.", "vx": {"name": "tide", "tags": ["sea"]}}""");
        call("MB_Store", """
                {"target": {"bank": "notes", "agent": "Bo"}, "content": "So we sail at seven.", "vx": {"name": "plan"},
                 "derived_from": ["%s"]}""".replace("%s", idOfTide()));
        call("MB_Create", """
                {"target": {"agent": "Ada"}, "vx": {"name": "attic", "access": "public"}}""");
        for (var i = 1; i <= 20; i++) {
            call("MB_Store", """
                    {"target": {"bank": "attic"}, "content": "State %s.", "vx": {"name": "log"}}""".replace("%s", "" + i));
        }
        call("AK_Create", """
                {"name": "%s", "capabilities": ["agent:read"]}""");
        call("WH_Create", """
                {"url": "http://127.0.0.1:9/hooks", "events": ["*"], "description": "%s"}""");
        call("AP_Create", """
                {"vx": {"name": "Cy", "description": "Counts ships."}}""");
    }

    private static void call(String service, String arguments) {
        var input = Json.readObject(arguments.replace("%s", MARKUP).getBytes(StandardCharsets.UTF_8));
        ClientApi.REST.call(TestServer.url(), owner, service, input).ok();
    }

    private static String idOfTide() {
        var input = Json.readObject(
                "{\"target\": {\"bank\": \"notes\"}, \"vx\": {\"name\": \"tide\"}}".getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST
                .call(TestServer.url(), owner, "MB_Read", input)
                .ok()
                .at("/content/0/id")
                .asString();
    }

    /** Script errors, policy violations, requests to other hosts, findings of axe, and pages wider than the window. */
    @Test
    void nothingIsWrongWithAnyPageInAnyTheme() {
        assertThat(steps.only("faults").get("faults").valueStream().map(JsonNode::asString))
                .isEmpty();
    }

    @Test
    void markupShowsAsText() {
        assertThat(steps.of("a script ran")).isEmpty();
        assertThat(steps.only("together").path("markup").asInt()).isZero();
        assertThat(steps.only("together").path("said").asString()).contains("<b>bold</b>");
    }

    @Test
    void messagesOfOneWhoTypesFastAreEachSentOnce() {
        var hurried = steps.only("hurried");
        assertThat(hurried.path("said").valueStream().map(JsonNode::asString))
                .containsExactly("I type fast", "I type fast and more", "I type fast");
        assertThat(hurried.path("box").asString()).isEqualTo("is not sent\nwas written meanwhile");
    }

    @Test
    void whatOneSaysTheOtherReads() {
        assertThat(steps.only("together").path("took")).hasSize(3);
        assertThat(steps.only("together").path("asked"))
                .as("what the reader asked for: messages reach it over the stream, without polling")
                .isEmpty();
    }

    /** What somebody says in another browser, and an MCP client that connects and speaks. */
    @Test
    void theWorldMovesByItself() {
        assertThat(steps.only("moves").path("leads").asString()).startsWith("/console/keys/");
    }

    @Test
    void whatAResumedStreamRepeatsIsShownOnce() {
        assertThat(steps.only("repeats").path("times").asInt())
                .as("two events, each sent twice")
                .isEqualTo(2);
    }

    @Test
    void whatIsShownAnewKeepsTheFocus() {
        var focus = steps.only("repeats").path("focus");
        assertThat(focus.path("isSame").asBoolean()).isTrue();
        assertThat(focus.path("on").asBoolean()).isTrue();
        assertThat(focus.path("leads").asBoolean()).isTrue();
    }

    @Test
    void theFocusNeverMovesToTheSameButtonOfAnotherEntry() {
        assertThat(steps.only("focused").path("same").asString()).isEqualTo("is-b");
        assertThat(steps.only("focused").path("fewer").asString()).isEqualTo("the list");
    }

    @Test
    void thePageIsThatOfTheAddress() {
        var step = steps.only("hasty");
        assertThat(step.path("heading").asString()).isEqualTo("Cy");
        assertThat(step.path("path").asString()).isEqualTo("/console/agents/Cy");
        assertThat(step.path("top").asInt()).isZero();
        assertThat(step.path("back").asInt()).as("where it was left").isEqualTo(150);
    }

    @Test
    void aTabThatStopsNoLongerWaitsForTheStream() {
        assertThat(steps.only("queued").path("before").asInt()).isEqualTo(1);
        assertThat(steps.only("queued").path("after").asInt()).isZero();
    }

    @Test
    void looksAtAgentsMarkNothingAsRead() {
        var step = steps.only("unread");
        assertThat(step.path("self").asString()).isEqualTo("Dee");
        assertThat(step.path("before").asInt()).isEqualTo(1);
        assertThat(step.path("after").asInt()).isEqualTo(1);
        assertThat(step.path("bound").asInt())
                .as("with a key that is bound to the agent")
                .isEqualTo(1);
    }

    @Test
    void whatDestroysLooksSo() {
        assertThat(steps.of("dangers"))
                .hasSize(2)
                .allSatisfy(step -> assertThat(step.path("harmless")).isEmpty())
                .allSatisfy(step -> assertThat(List.of("agent", "key", "endpoint"))
                        .allSatisfy(page ->
                                assertThat(step.path(page).asInt()).as(page).isPositive()))
                .allSatisfy(step -> assertThat(step.path("revoke").asString()).contains("danger"));
    }

    /** Of an endpoint where nobody answers. */
    @Test
    void anEndpointShowsHowItFares() {
        var step = steps.only("careful");
        assertThat(step.path("endpoint").asString()).contains("failing").contains("0 of ");
        assertThat(step.path("failed").asString()).contains("destroys");
        assertThat(step.path("ticks").valueStream().map(JsonNode::asString))
                .as("an hour")
                .hasSize(5)
                .endsWith("now")
                .doesNotHaveDuplicates();
    }

    @Test
    void afterARefusedStreamThePageReadsAgain() {
        assertThat(steps.only("repeats").path("another").asBoolean()).isTrue();
    }

    @Test
    void anAgentsCardHasItsLastWords() {
        assertThat(steps.only("careful").path("lastWords").asString()).isEqualTo("“Low water at 06:12 tomorrow.”");
    }

    @Test
    void anAgentsCardHasItsPersona() {
        assertThat(steps.only("careful").path("personas").valueStream().map(JsonNode::asString))
                .as("what an agent lacks is left out")
                .containsExactly(MARKUP);
    }

    @Test
    void anAgentsCardIsAsHighAsWhatItHolds() {
        var cards = steps.only("careful").path("heights");
        assertThat(cards)
                .hasSizeGreaterThan(2)
                .allSatisfy(card ->
                        assertThat(card.path("cut").asInt()).as(card.toString()).isNegative());
        assertThat(cards.valueStream().map(card -> card.path("height").asInt()).distinct())
                .as("not all have the same")
                .hasSizeGreaterThan(1);
    }

    @Test
    void aMessageIsShownAsCodeBeforeItIsSent() {
        assertThat(steps.only("careful").path("message").valueStream().map(JsonNode::asString))
                .satisfiesExactly(
                        curl -> assertThat(curl).contains("AP_Chat/invoke", "As <b>code</b>"),
                        mcp -> assertThat(mcp).contains("tools/call", "As <b>code</b>"));
    }

    @Test
    void aStoryKeepsApartWhatDiffers() {
        assertThat(steps.only("storied").path("head").asString()).isEqualTo("00:00");
        assertThat(steps.only("storied").path("text").asString())
                .isEqualTo("Ada for ann previewed what MB_Censor would do to the bank notes,"
                        + " censored the bank notes 2 times and censored the bank notes."
                        + " Ada for root censored the bank notes. Ada censored the bank notes."
                        + " Ada for ann logged off and changed itself. ");
    }

    @Test
    void everyCallIsShownAsCode() {
        assertThat(steps.of("as code"))
                .hasSize(2)
                .allMatch(step ->
                        step.path("curl").asBoolean() && step.path("mcp").asBoolean());
    }

    @Test
    void signingOutEndsTheStreamsOfTheSession() {
        assertThat(steps.only("signs out").path("live").asString()).isEqualTo("off");
    }

    @Test
    void everybodySeesOnlyWhatTheyMay() {
        var seen = steps.only("others");
        assertThat(seen.path("viewerMayCreate").asBoolean()).isFalse();
        assertThat(seen.path("viewerMayLoad").asBoolean(true)).isFalse();
        assertThat(seen.path("viewerWebhooks").asString())
                .contains("For admins")
                .doesNotContain("127.0.0.1:9");
        assertThat(seen.path("viewerSpace").asString()).doesNotContain("Low water");
        assertThat(seen.path("narrowAgents").asString()).contains("agent:read").doesNotContain("Ada");
        assertThat(seen.path("narrowWorld").asString()).doesNotContain("Ada");
        assertThat(seen.properties().stream()
                        .filter(each -> each.getKey().startsWith("empty"))
                        .map(each -> each.getValue().asString()))
                .hasSize(5)
                .allSatisfy(text -> assertThat(text).doesNotContain("Watches the tide", "Low water", "Neap tides"));
    }

    @Test
    void emptyPagesSayWhatToDoAndShowWhatTheyWillLookLike() {
        var seen = steps.only("others");
        for (var page : List.of("emptyWorld", "empty /console/agents")) {
            assertThat(seen.path(page).asString()).contains("Invite an agent", "It will look like this");
        }
    }

    /**
     * Every step is a call of an agent over MCP. The user's answer decides how it continues, and
     * the demo leaves nothing behind.
     */
    @Test
    void aNewcomerSeesAgentsWorkAnswersThemAndTakesThemAwayAgain() {
        var walk = steps.only("newcomer");
        assertThat(walk.at("/starting/text").asString()).isEqualTo("Starting…");
        assertThat(walk.at("/starting/disabled").asBoolean()).isTrue();
        assertThat(walk.path("focus").asString()).isEqualTo("Pause");
        assertThat(walk.path("replayed").asBoolean()).isTrue();
        assertThat(walk.path("paused").asString()).contains("Paused. Your answer resumes it.");
        assertThat(walk.path("room").asString())
                .contains("I disagree", "Raise the pool and watch it", "bought an hour")
                .doesNotContain("Rolled back");
        assertThat(walk.path("doors").valueStream().map(JsonNode::asString))
                .filteredOn(entry -> entry.matches("(?s).*(Mira|Otto|Juno).*"))
                .hasSizeGreaterThan(8)
                .allMatch(entry -> entry.contains("MCP"));
        assertThat(walk.path("learnt").asString())
                .contains("lesson - a larger pool buys an hour", "handover", "finding - the leaking query");
        assertThat(walk.path("left").valueStream().map(JsonNode::asInt)).containsExactly(0, 0, 0, 0);
    }

    @Test
    void aCensorshipShowsWhatItWouldHideFirst() {
        assertThat(steps.only("careful").path("hidesAll").asString()).isEqualTo("Hides 3 memories.");
        assertThat(steps.only("careful").path("hidesHers").asString()).isEqualTo("Hides 3 memories, 1 derived.");
    }

    @Test
    void aMemoryShowsItsRevisionsAndItsLineage() {
        var step = steps.only("careful");
        assertThat(step.path("revisions").valueStream().map(JsonNode::asString))
                .hasSize(2)
                .anyMatch(text -> text.contains("current"));
        assertThat(step.path("lineage").valueStream().map(JsonNode::asString)).containsExactly("tide", "plan");
        assertThat(step.path("first").asString()).as("of twenty").isEqualTo("State 1.");
        assertThat(step.path("loads").asString()).contains("of 4,000 tokens", "3 of 3 memories");
        assertThat(step.path("figures").valueStream().map(JsonNode::asString)).startsWith("50 %", "50 %");
        assertThat(step.path("refused").asString()).startsWith("Line 1 needs a query");
        assertThat(step.path("searched").asString()).isEqualTo("unicorns");
        assertThat(step.path("newest").asString()).isEqualToIgnoringCase("sail");
        assertThat(step.path("restored").asString()).isEqualTo("attic");
    }

    @Test
    void aKeyShowsItsCountdownWhatItsEndWouldBreakAndWhatItMayDo() {
        var step = steps.only("careful");
        assertThat(step.path("countdown").asString()).matches("59 min \\d+ s|1 h 0 min 0 s");
        assertThat(step.path("breaks").asString()).contains("never used");
        assertThat(step.at("/asKey/may").asBoolean()).isFalse();
        assertThat(step.at("/asKey/why").asString()).contains("may not call AP_Create");
        assertThat(step.path("again").asBoolean()).isTrue();
    }

    @Test
    void aPreviewOfACensorshipIsNoCensorshipInTheAudit() {
        assertThat(steps.only("careful").path("previews").valueStream().map(JsonNode::asString))
                .isNotEmpty()
                .allMatch(text -> text.contains("previewed what MB_Censor would do"));
    }

    @Test
    void theFirstViewIsLight() {
        assertThat(steps.only("first view").path("bytes").asInt()).isBetween(20_000, 200_000);
    }

    /** The time itself depends on the machine: {@code ./engine bench pages} measures it. */
    @Test
    void theFirstContentNeedsOnlyThePageAndItsStyle() {
        var view = steps.only("first view");
        assertThat(view.path("before").valueStream().map(JsonNode::asString))
                .containsExactlyInAnyOrder("world", "hub.css", "console.css", "theme.js");
        assertThat(view.path("content").asString()).contains("World", "Settings");
        assertThat(view.path("heading").asString()).isEqualTo("World");
        assertThat(view.path("frame").asInt()).isPositive();
        assertThat(view.path("calls").valueStream().map(JsonNode::asString))
                .as("who is signed in is asked once")
                .containsOnlyOnce("/api/auth/session");
        assertThat(view.path("late"))
                .as("scripts that only another script names")
                .isEmpty();
    }

    /** The pictures of the documents, and the screenshots that they are. */
    private static final Map<String, String> PICTURES = Map.of(
            "world.png", "console-demo-question-1280-light.png",
            "world-dark.png", "console-demo-question-dark-1280-light.png",
            "room.png", "console-demo-room-1280-light.png",
            "memory.png", "console-demo-memory-1280-light.png",
            "inbox.png", "console-demo-inbox-1280-light.png");

    /**
     * {@code -Dgolden=update} replaces them. Each machine draws letters in its own way. So a picture is stale if the text of its page
     * is not the text beside it.
     */
    @Test
    void thePicturesInTheDocumentsAreOfTheDemo() throws IOException {
        var folder = Repository.file("docs/pictures");
        var film = folder.resolve("demo.gif");
        if (Golden.isUpdating()) {
            Files.createDirectories(folder);
            for (var picture : PICTURES.entrySet()) {
                writeSmall(SCREENSHOTS.resolve(picture.getValue()), folder.resolve(picture.getKey()));
            }
            Film.write(frames(), film);
        }
        var words = steps.only("newcomer").path("words");
        assertThat(frames()).isNotEmpty();
        assertThat(folder).isDirectoryContaining(film::equals);
        assertThat(Files.size(film)).isBetween(100_000L, 3_000_000L);
        for (var picture : PICTURES.entrySet()) {
            var taken = ImageIO.read(SCREENSHOTS.resolve(picture.getValue()).toFile());
            var image = ImageIO.read(folder.resolve(picture.getKey()).toFile());
            assertThat(image.getWidth()).as(picture.getKey()).isEqualTo(taken.getWidth());
            var name = picture.getKey().replace("-dark", "").replace(".png", "");
            Golden.check(folder.resolve(name + ".txt"), words.get(name).asString() + "\n");
            assertThat(Files.size(folder.resolve(picture.getKey())))
                    .as(picture.getKey())
                    .isLessThan(120_000);
        }
        assertThat(steps.only("newcomer").path("waits").valueStream().map(JsonNode::asString))
                .as("inbox.png")
                .anyMatch(text -> text.contains("Mira asks you") && text.contains("Deploy it today"))
                .anyMatch(text -> text.contains("Otto asks you"))
                .anyMatch(text -> text.contains("Juno wrote to you"));
    }

    /** With at most 256 colours, which the writer of GIF images chooses. */
    private static void writeSmall(Path source, Path target) throws IOException {
        var bytes = new ByteArrayOutputStream();
        ImageIO.write(ImageIO.read(source.toFile()), "gif", bytes);
        ImageIO.write(ImageIO.read(new ByteArrayInputStream(bytes.toByteArray())), "png", target.toFile());
    }

    private static List<Path> frames() throws IOException {
        try (var files = Files.list(SCREENSHOTS)) {
            return files.filter(file -> file.getFileName().toString().matches("demo-\\d+\\.png"))
                    .sorted()
                    .toList();
        }
    }
}
