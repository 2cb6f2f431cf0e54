package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
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

/** The console's pages about documents and rules in real Chromium, which {@code documents.mjs} uses as people do. */
@Tag("slow")
class ConsoleDocumentsTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static TestTenant tenant;
    private static Steps steps;
    private static String owner;

    @BeforeAll
    static void play() {
        Chromium.require();
        tenant = new TestTenant();
        owner = tenant.key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));
        fill();
        var nothing = new TestTenant();
        var keys = Map.of(
                "OWNER_KEY",
                owner,
                "VIEWER_KEY",
                tenant.key(ClientApi.REST, "vera", Role.VIEWER, List.of("*")),
                "NARROW_KEY",
                tenant.key(ClientApi.REST, "nora", Role.MEMBER, List.of("bank:read")),
                "EMPTY_KEY",
                nothing.key(ClientApi.REST, "emma", Role.OWNER, List.of("*")),
                "EMPTY_VIEWER_KEY",
                nothing.key(ClientApi.REST, "vito", Role.VIEWER, List.of("*")));
        steps = Chromium.play(keys, "documents.mjs", TestServer.url(), SCREENSHOTS.toString());
    }

    private static void fill() {
        submit("handbook.md", "# Handbook\n\nLow water at six.\n\n- one\n- two");
        submit("handbook.md", "# Handbook\n\nLow water at seven.\n\n- one\n- two\n\nAsk the harbour master.");
        submit("<img src=x onerror=alert(1)>.txt", "A name with markup.");
        submit("broken.json", "{\"a\": }");
        call("MB_Create", "{\"vx\":{\"name\":\"notes\",\"description\":\"Notes.\"}}");
        call("MB_Create", "{\"vx\":{\"name\":\"Ledger\"}}");
        call("MB_Destroy", "{\"target\":{\"bank\":\"Ledger\"}}");
        call(
                "RL_Create",
                "{\"name\":\"keep the ledger\",\"applies_to\":[\"bank\"],\"when\":\"command.effect == \\\"destroys\\\" && sameName(target.bank, \\\"ledger\\\") && principal.role != \\\"viewer\\\"\",\"message\":\"The ledger stays. <b>Ask an owner.</b>\",\"mode\":\"shadow\"}");
    }

    private static void submit(String name, String text) {
        var made = Json.object().put("name", name).put("text", text);
        var id = ClientApi.REST
                .call(TestServer.url(), owner, "DC_Submit", made)
                .ok()
                .text("/document/id");
        await().until(() -> !call("DC_Read", "{\"id\":\"%s\"}".formatted(id))
                .at("/document")
                .has("queue"));
    }

    private static Reply call(String tool, String arguments) {
        return TestCaller.of(ClientApi.REST, owner).call(tool, arguments).ok();
    }

    /** Errors of scripts, breaches of the policy, requests to others, what axe finds, pages wider than the window. */
    @Test
    void nothingIsWrongWithAnyPageInAnyTheme() {
        assertThat(steps.only("faults").get("faults").valueStream().map(JsonNode::asString))
                .isEmpty();
        assertThat(steps.of("a script ran")).isEmpty();
    }

    @Test
    void aDocumentIsDroppedLoadedReplacedAndDeleted() {
        var step = steps.only("documents");
        assertThat(step.path("markup").asInt()).isZero();
        assertThat(step.path("loaded").asString()).matches("Memories: [1-9]\\d* added, 0 kept, 0 removed\\.");
        assertThat(step.path("changed").asString()).isEqualTo("1 paragraph added, 1 removed.");
        assertThat(step.path("again").asString()).matches("Memories: [12] added, [1-9]\\d* kept, [12] removed\\.");
        assertThat(step.path("focus").asBoolean())
                .as("a list that is refreshed keeps the focus")
                .isTrue();
        assertThat(step.path("stays").asBoolean())
                .as("a button that is pressed stays, although the page is drawn anew")
                .isTrue();
        assertThat(steps.only("rejected").path("reasons").asString()).contains("type_");
    }

    /** On a phone the list is not beside the document, so it is not above it either. */
    @Test
    void aDocumentIsInSight() {
        var phone = steps.only("document at 360");
        assertThat(phone.path("isInSight").asBoolean()).isTrue();
        assertThat(phone.path("hasList").asBoolean()).isFalse();
        assertThat(phone.path("back").asBoolean()).isTrue();
        assertThat(phone.path("codes").asInt()).as("that of the page").isEqualTo(1);
        assertThat(steps.only("document at 1280").path("codes").asInt()).isEqualTo(2);
        assertThat(steps.only("document at 1280").path("hasList").asBoolean()).isTrue();
        assertThat(steps.only("document at 1280").path("back").asBoolean()).isFalse();
    }

    @Test
    void templatesHaveTitles() {
        assertThat(steps.only("templates at 1280").path("titles").valueStream().map(JsonNode::asString))
                .contains("Block words", "Content length cap")
                .noneMatch(title -> title.contains("-"));
    }

    @Test
    void aConditionShowsWhereItIsWrong() {
        var step = steps.only("rules");
        assertThat(step.path("problem").asString())
                .startsWith("Line 2, column ")
                .contains("bnak");
        assertThat(step.path("invalid").asString()).isEqualTo("true");
        assertThat(step.at("/selected/0").asBoolean()).isTrue();
        assertThat(step.at("/selected/1").asString()).contains("&&\n");
    }

    @Test
    void rulesAreTriedReplayedAndMadeFromTemplates() {
        var step = steps.only("rules");
        assertThat(step.path("replayed").asString()).startsWith("Would have denied 0 of ");
        assertThat(step.path("message").asString()).isEqualTo("<i>The books stay.</i>");
        assertThat(step.path("template").asString()).contains("from content-length-cap", "shadow");
    }

    @Test
    void everybodySeesOnlyWhatTheyMay() {
        var seen = steps.only("others");
        assertThat(seen.path("viewerMayUpload").asInt()).isZero();
        assertThat(seen.path("viewerMayCreate").asBoolean()).isFalse();
        assertThat(seen.path("narrowDocuments").asString())
                .contains("document:read")
                .doesNotContain("handbook");
        assertThat(seen.path("narrowRules").asString()).contains("rule:read").doesNotContain("ledger");
        assertThat(seen.path("emptyHint").asString()).startsWith("Drop a file above.");
        assertThat(seen.path("viewerHint").asString())
                .isEqualTo("No document has been submitted. Your key may not submit one.");
        assertThat(seen.path("emptyDocument").asString()).doesNotContain("Low water");
    }
}
