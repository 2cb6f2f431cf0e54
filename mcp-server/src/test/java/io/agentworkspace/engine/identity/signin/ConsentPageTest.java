package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page of the consent in real Chromium, driven by {@code consent.mjs}. */
@Tag("slow")
class ConsentPageTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();

    /** Nothing is wrong on the way: scripts, axe, requests to others, a page wider than its window. */
    @Test
    void aPersonSeesWhoAsksForWhatAndDeclines() {
        Chromium.require();
        var key = new TestTenant().key(ClientApi.REST, "maria", Role.MEMBER, List.of("*"));
        var steps = Chromium.play(Map.of("OWNER_KEY", key), "consent.mjs", TestServer.url(), SCREENSHOTS.toString());
        for (var width : List.of(390, 1280)) {
            var step = steps.only("consent", width);
            assertThat(step.path("text").asString())
                    .contains(
                            "A program that calls itself “Sample b client /b” asks for access",
                            "signed in as maria",
                            "http://127.0.0.1:1",
                            "It may");
            assertThat(step.path("checked").toString()).isEqualTo("[\"agent:read\",\"bank:read\"]");
            assertThat(step.path("status").asInt()).isEqualTo(200);
        }
        assertThat(steps.only("faults").path("faults").toString()).isEqualTo("[]");
    }
}
