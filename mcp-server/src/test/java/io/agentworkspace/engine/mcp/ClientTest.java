package io.agentworkspace.engine.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.Json;
import org.junit.jupiter.api.Test;

class ClientTest {
    @Test
    void littleIsKeptOfWhatAClientSaysOfItself() {
        var info = Json.object().put("name", "x".repeat(900_000)).put("version", "1");
        assertThat(Client.name(info)).hasSize(400);
        var capabilities = Json.object();
        var extensions = capabilities.putObject("extensions");
        extensions.putObject(Client.TASKS);
        extensions.putObject("x".repeat(900));
        for (var i = 0; i < 1_000; i++) {
            extensions.putObject("example/" + i);
        }
        assertThat(Client.of(Revision.MODERN, capabilities).extensions())
                .hasSizeLessThanOrEqualTo(50)
                .contains(Client.TASKS)
                .allMatch(name -> name.length() < 900);
    }

    @Test
    void extensionsThatAreNoObjectAreNone() {
        var capabilities = Json.object().put("extensions", "all");
        assertThat(Client.of(Revision.MODERN, capabilities).extensions()).isEmpty();
    }
}
