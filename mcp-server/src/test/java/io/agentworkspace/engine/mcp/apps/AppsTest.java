package io.agentworkspace.engine.mcp.apps;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The engine's pages of MCP Apps in the official host, which {@code apps.mjs} uses in real Chromium. */
@Tag("slow")
class AppsTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static final List<String> PAGES = List.of(
            "ui://engine/conversation.html",
            "ui://engine/search.html",
            "ui://engine/questions.html",
            "ui://engine/tasks.html");

    private static Steps steps;

    @BeforeAll
    static void play() {
        Chromium.require();
        var tenant = new TestTenant();
        var ann = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'Paints.','access':'public'}}");
        call(ann, "DM_Create", "{'target':{'agent':'Ada'},'vx':{'name':'Hall','description':'A hall.'}}");
        call(ann, "MB_Create", "{'vx':{'name':'notes','description':'Notes.'}}");
        call(
                ann,
                "MB_Store",
                "{'target':{'bank':'notes'},'content':'Low water is at 06:12. <img src=x onerror=alert(1)> 🌊'}");
        var ada = call(ann, "AK_Create", "{'name':'ada','agent':'Ada','capabilities':['*']}")
                .text("/api_key");
        call(ada, "AP_Chat", "{'to_user':true,'content':'I have begun. <img src=x onerror=alert(1)>'}");
        call(ada, "AP_Ask", "{'content':'Which colour?'}");
        call(ada, "AP_Ask", "{'content':'One coat or two?','choices':['One','Two']}");
        call(ada, "TK_Create", "{'target':{'domain':'Hall'},'vx':{'name':'Buy paint'}}");
        var task = call(ada, "TK_Create", "{'target':{'domain':'Hall'},'vx':{'name':'Paint the hull'}}")
                .text("/task/id");
        call(ada, "TK_Claim", "{'task':'%s'}".formatted(task));
        call(ada, "TK_Update", "{'task':'%s','fence':1,'state':'blocked','note':'No paint.'}".formatted(task));
        steps = Chromium.play(Map.of("ANN_KEY", ann), "apps.mjs", TestServer.url(), SCREENSHOTS.toString());
    }

    private static Reply call(String key, String tool, String arguments) {
        var fields = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST.call(TestServer.url(), key, tool, fields).ok();
    }

    private static JsonNode shown(String tool) {
        return steps.of("shown").stream()
                .filter(step -> step.path("name").asString().equals(tool))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void clientsWithoutTheExtensionSeeNoPageInEitherEra() {
        assertThat(steps.of("without apps")).hasSize(2).allSatisfy(step -> {
            assertThat(texts(step.path("links"))).isEmpty();
            assertThat(step.path("resources").asInt()).isZero();
            assertThat(step.path("read").asString()).contains("ui://engine/tasks.html");
        });
    }

    @Test
    void clientsWithTheExtensionSeeFourPagesAndTheLinksOfTheirTools() {
        assertThat(steps.of("with apps")).hasSize(2).allSatisfy(step -> {
            assertThat(texts(step.path("resources"))).containsExactlyElementsOf(PAGES);
            assertThat(step.path("links").propertyNames())
                    .containsExactlyInAnyOrder("AP_Read", "ZN_Read", "MB_Search", "US_Inbox", "AP_Ask", "TK_List");
        });
    }

    @Test
    void aPageIsADocumentThatAsksForNothing() {
        assertThat(steps.of("shown")).hasSize(4).allSatisfy(step -> {
            assertThat(step.path("mimeType").asString()).isEqualTo("text/html;profile=mcp-app");
            assertThat(step.at("/meta/ui").propertyNames()).containsExactly("prefersBorder");
            assertThat(step.path("sizes").asInt()).isPositive();
            assertThat(texts(step.path("axe"))).isEmpty();
        });
    }

    @Test
    void whatOthersWroteIsTextAndNothingIsRequested() {
        assertThat(steps.of("a script ran")).isEmpty();
        assertThat(steps.of("request")).isEmpty();
        assertThat(steps.of("error")).isEmpty();
        assertThat(shown("AP_Read").path("text").asString()).contains("<img src=x onerror=alert(1)>");
        assertThat(shown("MB_Search").path("text").asString()).contains("onerror=alert(1)> 🌊");
    }

    @Test
    void aPersonAnswersInAConversation() {
        assertThat(shown("AP_Read").path("text").asString()).contains("I have begun.", "question: answered");
        assertThat(texts(steps.only("answered").path("told")))
                .containsExactly("The person wrote in the conversation: \"Good, go on.\"");
    }

    @Test
    void aPersonSaysWhichMemoryAnswers() {
        assertThat(shown("MB_Search").path("text").asString()).contains("notes", "% likely to answer");
        assertThat(texts(steps.only("said").path("marked"))).contains("water");
        assertThat(texts(steps.only("said").path("told")))
                .singleElement()
                .asString()
                .contains("answers the search for \"When is low water?\"");
    }

    @Test
    void aPersonDecidesByAButtonOrInWords() {
        assertThat(shown("US_Inbox").path("text").asString())
                .contains("One coat or two?", "Which colour?", "1 more thing waits in the console.");
        assertThat(texts(steps.only("decided").path("told")))
                .hasSize(2)
                .last()
                .asString()
                .endsWith(": \"Blue.\"");
    }

    @Test
    void tasksAreABoard() {
        assertThat(shown("TK_List").path("text").asString()).contains("Open 1", "Blocked 1", "Buy paint", "ready");
        assertThat(texts(steps.only("opened").path("told"))).hasSize(1);
    }

    @Test
    void aRefusalIsShownAndWhatWasWrittenStays() {
        assertThat(steps.only("refused").path("kept").asString()).isEqualTo("xxxxxxxxxx");
    }
}
