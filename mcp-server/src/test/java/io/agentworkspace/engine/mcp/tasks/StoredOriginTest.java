package io.agentworkspace.engine.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.tasks.TaskOrigin.StoredOrigin;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The stored names stay as they are: replicas of two releases share tasks during an upgrade. */
class StoredOriginTest {
    @Test
    void theSourceIsReadAndWrittenUnderItsStoredName() {
        var json = "{\"task\":\"t\",\"whence\":{\"door\":\"mcp\",\"address\":\"192.0.2.1\",\"client\":\"c\"}}";
        var origin = StoredOrigin.read(Json.readObject(json.getBytes(StandardCharsets.UTF_8)));
        assertThat(origin.source()).isEqualTo(new RequestSource("mcp", "192.0.2.1", "c"));
        assertThat(origin.json().at("/whence/door").asString()).isEqualTo("mcp");
    }
}
