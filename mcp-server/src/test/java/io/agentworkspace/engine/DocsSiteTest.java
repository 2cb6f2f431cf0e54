package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The documentation in real Chromium, driven by {@code docs.mjs}. The pages are the same with and without scripts. */
@Tag("slow")
class DocsSiteTest {
    private static final Path PICTURES = Path.of("target/screenshots").toAbsolutePath();

    private static Steps steps;

    @BeforeAll
    static void play() {
        Chromium.require();
        steps = Chromium.play(Map.of(), "docs.mjs", TestServer.url(), PICTURES.toString());
    }

    /** Script errors, policy violations, requests to other hosts, findings of axe, and pages wider than the window. */
    @Test
    void nothingIsWrongOnTheWay() {
        assertThat(texts(steps.only("faults").get("faults"))).isEmpty();
        assertThat(steps.only("narrow").get("pages").asInt()).isGreaterThan(35);
        assertThat(texts(steps.only("narrow").get("wide"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void readersFindTheirWay(int width) {
        var reads = steps.only("reads", width);
        assertThat(reads.path("folded").asBoolean(true)).isTrue();
        assertThat(reads.get("page").asString()).isEqualTo("Limits, health and metrics");
        assertThat(reads.get("contents").asBoolean())
                .as("what is on the page can be seen without scrolling")
                .isTrue();
        assertThat(reads.get("part").asString()).isEqualTo("#plans");
        assertThat(reads.get("partInView").asBoolean()).isTrue();
        assertThat(reads.get("next").asString()).isEqualTo("Commands");
        assertThat(reads.get("lists").get(0).equals(reads.get("lists").get(1)))
                .as("on a phone, both lists are in one row")
                .isEqualTo(width < 400);
        assertThat(reads.get("enlarged"))
                .as("pictures lead to themselves")
                .hasSize(reads.get("pictures").asInt())
                .allMatch(JsonNode::asBoolean);
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void theSearchFindsSectionsByKeyboard(int width) {
        var searches = steps.only("searches", width);
        assertThat(searches.get("said").asString()).endsWith("places for loop GUARD.");
        assertThat(searches.get("field").asString()).isEqualTo("loop GUARD");
        assertThat(texts(searches.get("titles"))).startsWith("The loop guard").contains("AP_Modify");
        assertThat(texts(searches.get("marked"))).isNotEmpty().allMatch(word -> word.matches("(?i)loop|guard"));
        assertThat(searches.get("opened").asString()).isEqualTo("/docs/dev/decisions/messages");
        assertThat(searches.get("command").asString()).isEqualTo("/mcp-hub/tools/AP_Create");
        assertThat(searches.at("/markup/said").asString()).contains("<img src=x onerror=alert(1)> \"");
        assertThat(searches.at("/markup/images").asInt()).isZero();
    }

    @Test
    void theAddressOfACommandLeadsToItsPageInTheHub() {
        assertThat(texts(steps.only("deep link").get("headings")))
                .hasSize(2)
                .allMatch(heading -> heading.contains("AP_Create"));
        assertThat(steps.only("deep link").get("family").asString()).isEqualTo("Commands");
    }

    @Test
    void codeIsCopiedWithTheAddressOfThisService() {
        assertThat(steps.only("copies").get("copied").asString())
                .contains("curl -fsS " + TestServer.url() + "/join | sh -s -- --client claude-code");
    }

    @Test
    void theButtonOfOneLineOfCodeIsBesideIt() {
        assertThat(steps.only("copies").get("heights"))
                .anyMatch(code -> code.get("lines").asInt() == 1)
                .anyMatch(code -> code.get("lines").asInt() > 1)
                .allSatisfy(code -> assertThat(code.get("above").asInt() < 5)
                        .as(code.toString())
                        .isEqualTo(code.get("lines").asInt() == 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void allOfItIsThereWithoutScripts(int width) {
        var plain = steps.only("without scripts", width);
        assertThat(plain.get("row").asString()).isEqualTo("AP_Create");
        assertThat(plain.get("links").asInt()).isGreaterThan(20);
        assertThat(plain.get("hits").asInt()).isGreaterThan(5);
    }

    @Test
    void paperHasTheTextAndAllOfIt() {
        assertThat(texts(steps.only("paper").get("cut"))).isEmpty();
        assertThat(steps.only("paper").get("links").asInt()).isZero();
    }

    @Test
    void pagesAreLightAndDoNotJump() {
        assertThat(steps.only("loads").get("each").valueStream()).isNotEmpty().allSatisfy(load -> {
            assertThat(load.get("bytes").asInt()).as(load.toString()).isLessThan(60_000);
            assertThat(load.get("shift").asDouble()).as(load.toString()).isLessThan(0.01);
        });
    }
}
