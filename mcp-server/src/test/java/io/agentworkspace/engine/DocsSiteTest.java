package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.TestServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    private static final List<JsonNode> STEPS = new ArrayList<>();

    @BeforeAll
    static void play() {
        Chromium.require();
        Chromium.play(Map.of(), "docs.mjs", TestServer.url(), PICTURES.toString())
                .forEach(STEPS::add);
    }

    private static JsonNode step(String name) {
        return STEPS.stream()
                .filter(step -> step.get("step").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static JsonNode step(String name, int width) {
        return STEPS.stream()
                .filter(step -> step.get("step").asString().equals(name)
                        && step.get("width").asInt() == width)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asString).toList();
    }

    /** Script errors, policy violations, requests to other hosts, findings of axe, and pages wider than the window. */
    @Test
    void nothingIsWrongOnTheWay() {
        assertThat(texts(step("faults").get("faults"))).isEmpty();
        assertThat(step("narrow").get("pages").asInt()).isGreaterThan(35);
        assertThat(texts(step("narrow").get("wide"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void readersFindTheirWay(int width) {
        var reads = step("reads", width);
        assertThat(reads.path("folded").asBoolean(true)).isTrue();
        assertThat(reads.get("page").asString()).isEqualTo("Operations");
        assertThat(reads.get("contents").asBoolean())
                .as("what is on the page can be seen without scrolling")
                .isTrue();
        assertThat(reads.get("part").asString()).isEqualTo("#plans");
        assertThat(reads.get("partInView").asBoolean()).isTrue();
        assertThat(reads.get("next").asString()).isEqualTo("Commands");
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void theSearchFindsSectionsByKeyboard(int width) {
        var searches = step("searches", width);
        assertThat(searches.get("said").asString()).endsWith("places for loop GUARD.");
        assertThat(searches.get("field").asString()).isEqualTo("loop GUARD");
        assertThat(texts(searches.get("titles"))).startsWith("The loop guard").contains("AP_Chat");
        assertThat(texts(searches.get("marked"))).isNotEmpty().allMatch(word -> word.matches("(?i)loop|guard"));
        assertThat(searches.get("opened").asString()).isEqualTo("/docs/decisions/loop-guard");
        assertThat(searches.get("command").asString()).isEqualTo("/mcp-hub/tools/AP_Create");
        assertThat(searches.at("/markup/said").asString()).contains("<img src=x onerror=alert(1)> \"");
        assertThat(searches.at("/markup/images").asInt()).isZero();
    }

    @Test
    void theAddressOfACommandLeadsToItsPageInTheHub() {
        assertThat(texts(step("deep link").get("headings")))
                .hasSize(2)
                .allMatch(heading -> heading.contains("AP_Create"));
        assertThat(step("deep link").get("family").asString()).isEqualTo("Commands");
    }

    @Test
    void codeIsCopiedWithTheAddressOfThisService() {
        assertThat(step("copies").get("copied").asString()).startsWith("export ENGINE=" + TestServer.url() + "\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280})
    void allOfItIsThereWithoutScripts(int width) {
        var plain = step("without scripts", width);
        assertThat(plain.get("row").asString()).isEqualTo("AP_Create");
        assertThat(plain.get("links").asInt()).isGreaterThan(20);
        assertThat(plain.get("hits").asInt()).isGreaterThan(5);
    }

    @Test
    void paperHasTheTextAndAllOfIt() {
        assertThat(texts(step("paper").get("cut"))).isEmpty();
        assertThat(step("paper").get("links").asInt()).isZero();
    }

    @Test
    void pagesAreLightAndDoNotJump() {
        assertThat(step("loads").get("each").valueStream()).isNotEmpty().allSatisfy(load -> {
            assertThat(load.get("bytes").asInt()).as(load.toString()).isLessThan(60_000);
            assertThat(load.get("shift").asDouble()).as(load.toString()).isLessThan(0.01);
        });
    }
}
