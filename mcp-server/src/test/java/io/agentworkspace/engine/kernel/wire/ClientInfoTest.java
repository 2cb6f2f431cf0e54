package io.agentworkspace.engine.kernel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
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

    @Test
    void extensionsThatAreNoObjectAreNone() {
        var capabilities = Json.object().put("extensions", "all");
        assertThat(ClientInfo.of(ProtocolRevision.MODERN, capabilities).extensions())
                .isEmpty();
    }
}
