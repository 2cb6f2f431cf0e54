package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys, messages and the page of an agent as people use them each day, which {@code console-details.mjs} does in real Chromium. */
@Tag("slow")
class ConsoleDetailsTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static Steps steps;

    @BeforeAll
    static void play() {
        Chromium.require();
        var root = new TestTenant().key(ClientApi.REST, "root", Role.OWNER, List.of("*"));
        steps = Chromium.play(
                Map.of("OWNER_KEY", root), "console-details.mjs", TestServer.url(), SCREENSHOTS.toString());
    }

    @Test
    void keysAreFilteredAndEndedOnesAreFoldedAway() {
        var keys = steps.only("keys");
        assertThat(texts(keys.path("first"))).contains("nightly", "painter").doesNotContain("old");
        assertThat(texts(keys.path("found"))).containsExactly("painter");
        assertThat(texts(keys.path("all"))).contains("nightly", "painter", "old");
        assertThat(keys.path("address").asString()).isEqualTo("?ended=1");
    }

    @Test
    void aKeyIsNarrowed() {
        var keys = steps.only("keys");
        assertThat(keys.path("sent").propertyNames())
                .as("only what was changed")
                .containsExactlyInAnyOrder(
                        "id", "if_revision", "agent", "expires_in_seconds", "capabilities", "toolset");
        var key = keys.path("key");
        assertThat(texts(key.path("capabilities"))).containsExactly("agent:read", "bank:read");
        assertThat(texts(key.path("toolset"))).containsExactly("readonly");
        assertThat(key.path("agent").asString()).isEqualTo("Ada");
        assertThat(Instant.parse(key.path("expires_at").asString()))
                .isBefore(Instant.now().plus(Duration.ofDays(7)));
        assertThat(keys.path("shown").asString()).contains("acts as Ada", "Toolset: readonly");
    }

    @Test
    void linksAndListsInMessagesAreLinksAndLists() {
        var said = steps.only("messages");
        assertThat(said.path("links").valueStream().map(link -> texts(link)))
                .containsExactly(
                        List.of(
                                "https://example.com/a_(b)?c=1&d=2",
                                "https://example.com/a_(b)?c=1&d=2",
                                "noopener noreferrer nofollow",
                                "_blank"),
                        List.of("the docs", "https://docs.example/x", "noopener noreferrer nofollow", "_blank"));
        assertThat(said.path("lists")).hasSize(2);
        assertThat(said.path("nested").asInt()).isEqualTo(1);
        assertThat(said.path("bold").asInt()).isZero();
        assertThat(said.path("text").asString())
                .contains(
                        "[a trap](javascript:alert(1)) <b>bold</b> and https://user:pw@evil.example/",
                        "(docs.example)");
        assertThat(texts(said.path("inbox"))).contains("https://docs.example/x");
    }

    @Test
    void textsHaveTheirDirectionAndCodeIsLeftToRight() {
        var said = steps.only("messages");
        assertThat(said.path("directions").valueStream().map(one -> texts(one)))
                .contains(List.of("auto", "rtl"), List.of("auto", "ltr"));
        assertThat(said.path("code").valueStream().map(one -> one.path(1).asString()))
                .hasSize(2)
                .containsOnly("ltr");
    }

    @Test
    void theEndOfACompositionSendsNothingAndAnAnswerHasTheFocus() {
        assertThat(steps.only("messages").path("composed").asString()).isEqualTo("日本");
        assertThat(steps.only("messages").path("focus").asString()).isEqualTo("Message to Ada");
    }

    @Test
    void aSubAgentIsBelowItsParent() {
        var step = steps.only("sub-agents");
        assertThat(texts(step.path("names"))).containsExactly("Ada", "Ada/explore", "Ben");
        var indents = step.path("indents");
        assertThat(indents.path(1).asDouble()).isGreaterThan(indents.path(0).asDouble());
        assertThat(indents.path(2).asDouble()).isEqualTo(indents.path(0).asDouble());
        assertThat(step.path("address").asString()).isEqualTo("/console/agents/Ada/explore");
    }

    @Test
    void anAgentsPageShowsWhatItCosts() {
        var cost = steps.only("cost");
        var total = cost.path("total");
        assertThat(texts(cost.path("figures")).stream().map(figure -> figure.replace(",", "")))
                .containsExactly(
                        total.path("calls").asString(),
                        total.path("characters_sent").asString(),
                        total.path("characters_received").asString(),
                        total.path("estimated_tokens").asString());
        assertThat(total.path("estimated_tokens").asLong()).isPositive();
        assertThat(cost.path("rows").asInt()).isBetween(1, 2);
    }

    @Test
    void howToAllowWhatTheLoopGuardStoppedIsTrue() {
        var guard = steps.only("guard");
        assertThat(guard.path("note").asString()).contains("guard");
        assertThat(guard.path("text").asString())
                .contains("How to allow it", "The loop guard stopped it", "AP_Modify", "admins can allow more messages")
                .doesNotContain("Nothing forbids it");
    }

    @Test
    void theFrontPageHasThePictureOfItsTheme() {
        var front = steps.only("front");
        assertThat(texts(front.path("light"))).containsExactly("/docs/pictures/world.png");
        assertThat(texts(front.path("dark"))).containsExactly("/docs/pictures/world-dark.png");
        assertThat(texts(front.path("chosen"))).containsExactly("/docs/pictures/world-dark.png");
    }

    @Test
    void nothingIsWrongOnTheWay() {
        assertThat(texts(steps.only("faults").path("faults"))).isEmpty();
        assertThat(steps.of("a script ran")).isEmpty();
    }
}
