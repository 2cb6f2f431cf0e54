package io.agentworkspace.engine.kernel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.wire.ClientInfo.Ability;
import io.agentworkspace.engine.model.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientInfoTest {
    @Test
    void littleIsKeptOfWhatAClientSaysOfItself() {
        var info = Json.object().put("name", "x".repeat(900_000)).put("version", "1");
        assertThat(ClientInfo.name(info)).hasSize(400);
        var capabilities = Json.object();
        var extensions = capabilities.putObject("extensions");
        extensions.putObject(ClientInfo.TASKS);
        extensions.putObject("x".repeat(900));
        for (var i = 0; i < 1_000; i++) {
            extensions.putObject("example/" + i);
        }
        assertThat(ClientInfo.of(ProtocolRevision.MODERN, capabilities).extensions())
                .hasSizeLessThanOrEqualTo(50)
                .contains(ClientInfo.TASKS)
                .allMatch(name -> name.length() < 900);
    }

    /** Links came with the revision 2025-11-25; a form is what was there before. */
    @Test
    void aClientDeclaresHowItsPersonIsAsked() {
        var both = Json.object();
        both.putObject("elicitation").putObject("url");
        both.withObject("/elicitation").putObject("form");
        var links = Json.object();
        links.putObject("elicitation").putObject("url");
        for (var revision : List.of(ProtocolRevision.MODERN, ProtocolRevision.NOVEMBER_2025)) {
            assertThat(ClientInfo.of(revision, both).abilities())
                    .containsExactlyInAnyOrder(Ability.ELICITATION, Ability.LINKS);
            assertThat(ClientInfo.of(revision, links).abilities()).containsExactly(Ability.LINKS);
        }
        assertThat(ClientInfo.of(ProtocolRevision.JUNE_2025, both).abilities()).containsExactly(Ability.ELICITATION);
    }

    @Test
    void extensionsThatAreNoObjectAreNone() {
        var capabilities = Json.object().put("extensions", "all");
        assertThat(ClientInfo.of(ProtocolRevision.MODERN, capabilities).extensions())
                .isEmpty();
    }
}
