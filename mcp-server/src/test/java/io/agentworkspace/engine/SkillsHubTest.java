package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.SkillZip;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The skills hub in real Chromium, driven by {@code skills.mjs}. */
@Tag("slow")
class SkillsHubTest {
    private static final Path PICTURES = Path.of("target/screenshots").toAbsolutePath();

    private static final String MARKUP =
            "<img src=x onerror=alert(1)><script>pwned=1</script><svg onload=alert(2)>\"'&lt;b&gt;";

    /** As hostile as Markdown, YAML and the rules for paths allow. */
    private static final SkillZip HOSTILE = SkillZip.ofText("""
                    ---
                    name: hostile
                    description: "%1$s"
                    license: "javascript:alert(3) %1$s"
                    compatibility: "%1$s"
                    allowed-tools: "AP_List <script>alert(4)</script> Bash(rm:*)"
                    metadata:
                      "<img src=x onerror=alert(5)>": "%1$s"
                      version: "1"
                    ---
                    # %2$s

                    %2$s

                    [one](javascript:alert(6)) [two](JaVa&#115;cript:alert(7)) [three](data:text/html,<script>alert(8)</script>)
                    [four](//evil.example/x) [five](/api/auth/session) [six](scripts/run.js) [seven](https://evil.example/?a=%%22onclick=alert(9))
                    ![picture](https://evil.example/x.png) <iframe src="https://evil.example"></iframe>

                    <form action="https://evil.example"><button>Sign in</button></form>

                    ## account

                    <style>body { display: none }</style>

                    ```"><script>alert(10)</script>
                    %2$s
                    ```
                    """.formatted(MARKUP.replace("\"", "\\\""), MARKUP))
            .with("scripts/run.js", "pwned = 2; alert(11);")
            .with("page.html", "<!doctype html><script>alert(12)</script>" + MARKUP)
            .with("picture.svg", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(13)'/>")
            .with("references/a&b'(onclick=alert(1)),@#.md", "# %s\n\n[x](javascript:alert(14))".formatted(MARKUP))
            .with("data.bin", new byte[] {0, 1, 2, (byte) 0xFF});

    private static Steps steps;

    @BeforeAll
    static void play(@TempDir Path zips) throws IOException {
        Chromium.require();
        var tenant = new TestTenant();
        var admin = tenant.key(ClientApi.REST, "root", Role.ADMIN, List.of("*"));
        for (var agent : List.of("Ada", "Bea")) {
            call(admin, "AP_Create", "{'vx':{'name':'%s','description':'It works.'}}".formatted(agent));
        }
        call(admin, "SK_Add", "{'archive':'%s'}".formatted(HOSTILE.base64()));
        Files.write(
                zips.resolve("wrong.zip"), SkillZip.of("Not A Name", "Text.").bytes());
        for (var width : List.of(360, 1280)) {
            var name = "tides-" + width;
            Files.write(
                    zips.resolve(name + ".zip"),
                    SkillZip.of(name, "# Tides\n\nAsk MB_Read.").bytes());
            Files.write(
                    zips.resolve(name + "-new.zip"),
                    SkillZip.of(name, "# Tides\n\nAsk MB_Search first.").bytes());
        }
        var keys = Map.of(
                "ADMIN_KEY",
                admin,
                "VIEWER_KEY",
                tenant.key(ClientApi.REST, "vera", Role.VIEWER, List.of("*")),
                "INSTALLER_KEY",
                tenant.key(ClientApi.REST, "ines", Role.ADMIN, List.of("skill:read", "skill:write")));
        steps = Chromium.play(keys, "skills.mjs", TestServer.url(), PICTURES.toString(), zips.toString());
    }

    private static void call(String key, String tool, String arguments) {
        TestCaller.of(ClientApi.REST, key).call(tool, arguments).ok();
    }

    /** Script errors, policy violations, requests to other hosts, findings of axe, and pages wider than the window. */
    @Test
    void nothingIsWrongOnTheWay() {
        assertThat(texts(steps.only("faults").get("faults"))).isEmpty();
    }

    @Test
    void anybodyFindsTheShippedSkills() {
        assertThat(steps.of("anybody")).hasSize(2).allSatisfy(seen -> {
            assertThat(texts(seen.get("all"))).startsWith("first-steps").hasSize(5);
            assertThat(texts(seen.get("found"))).containsExactly("stay-within-limits");
            assertThat(seen.get("said").asString()).isEqualTo("1 skill");
            assertThat(seen.get("nothing").asString()).contains("<b>nothing</b>");
            assertThat(seen.get("skill").asString()).isEqualTo("receive-webhooks");
            assertThat(seen.get("file").asString()).isEqualTo("references/verifying.md");
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void anAdminAddsReplacesAndRemovesOnesOwn(int width) {
        var admin = steps.only("admin", width);
        var skill = "tides-" + width;
        assertThat(admin.get("refused").asString()).contains("name in SKILL.md", "lower-case letters");
        assertThat(admin.get("chosen").asString()).startsWith(skill + ".zip, ").endsWith(" bytes");
        assertThat(admin.get("added").asString()).isEqualTo(skill);
        assertThat(texts(admin.get("own"))).contains("hostile", skill).doesNotContain("first-steps");
        assertThat(admin.get("asksToReplace").asString()).contains("Replace the skill?", skill);
        assertThat(admin.get("replaced").asString()).contains("Ask MB_Search first.");
        assertThat(admin.get("asksToRemove").asString()).contains("Remove " + skill + "?", "for good");
        assertThat(texts(admin.get("afterwards"))).contains("hostile").doesNotContain(skill);
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void anAdminGivesItToAgentsAndTakesItOff(int width) {
        var admin = steps.only("admin", width);
        assertThat(admin.get("nobody").asString()).contains("Nobody");
        assertThat(texts(admin.get("offered"))).contains("Ada", "Bea");
        assertThat(texts(admin.get("installed"))).containsExactly("Ada", "Bea");
        assertThat(texts(admin.get("left"))).containsExactly("Bea");
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void whatIsDownloadedHasTheDigestThatIsShown(int width) {
        var admin = steps.only("admin", width);
        assertThat(admin.get("savedAs").asString()).isEqualTo("tides-%d.zip".formatted(width));
        assertThat(admin.get("copied").asString())
                .matches("sha256:[0-9a-f]{64}")
                .isEqualTo(admin.get("saved").asString());
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void markupOfOthersIsTextEverywhere(int width) {
        var hostile = steps.only("hostile", width);
        assertThat(texts(hostile.get("alarms"))).isEmpty();
        assertThat(hostile.get("elements").properties()).hasSize(8).allSatisfy(page -> {
            assertThat(page.getValue().get("foreign").asInt()).as(page.getKey()).isZero();
            assertThat(page.getValue().get("handlers").asInt())
                    .as(page.getKey())
                    .isZero();
            assertThat(page.getValue().get("pwned").isNull()).as(page.getKey()).isTrue();
            assertThat(texts(page.getValue().get("links")))
                    .as(page.getKey())
                    .allMatch(
                            link -> link.matches(
                                    "(#text-|#(agents|files)-title$|/skills-hub|/mcp-hub/tools/|/api/skills/hostile/archive|/.well-known/|https://).*"));
        });
        assertThat(hostile.at("/texts/~1skills-hub").asString()).contains("<script>pwned=1</script>");
        assertThat(hostile.at("/texts/~1skills-hub~1hostile").asString())
                .contains(
                        "<iframe src=\"https://evil.example\">",
                        "<style>body",
                        "[picture: picture]",
                        "javascript:alert(3)");
        assertThat(hostile.get("asScript").asString()).isEqualTo("refused");
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void whoseSessionEndsSignsInAboveWhatWasAsked(int width) {
        assertThat(texts(steps.only("admin", width).at("/ended/twice"))).isEmpty();
    }

    /** A key that may not list agents gets 401, like a visitor who is not signed in. */
    @Test
    void whoMayNotListAgentsStaysSignedIn() {
        var installer = steps.only("installer");
        assertThat(installer.get("status").asInt()).isEqualTo(401);
        assertThat(installer.get("user").asString()).isEqualTo("ines");
        assertThat(installer.get("asked").asInt()).isZero();
    }

    @Test
    void aViewerIsToldWhatItsKeyMayNot() {
        var viewer = steps.only("viewer");
        assertThat(viewer.get("own").asBoolean()).isTrue();
        assertThat(viewer.get("add").asString()).contains("You cannot add skills", "role is 'viewer'");
        assertThat(viewer.get("install").asString()).contains("You cannot install it", "viewer");
        assertThat(texts(viewer.get("tools")))
                .anyMatch(tool -> tool.contains("US_Read") && tool.contains("you may"))
                .anyMatch(tool -> tool.contains("AP_Create") && tool.contains("Not with your key"));
    }

    @Test
    void allOfItCanBeReadWithoutScriptsAndOnPaper() {
        var plain = steps.only("without scripts");
        assertThat(texts(plain.get("all"))).hasSize(5);
        assertThat(plain.get("text").asString()).contains("Five words to know", "references/errors.md", "sha256:");
        assertThat(plain.get("buttons").asInt())
                .as("the menu, which the browser opens")
                .isEqualTo(1);
        assertThat(texts(steps.only("paper").get("cut"))).isEmpty();
        assertThat(steps.only("paper").get("buttons").asInt()).isZero();
    }
}
