package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The newer and the older TypeScript client, driven by {@code client.mjs}. */
record ScriptClient(String name, String mode) implements OfficialClient {
    private static final String OLDER = "sdk1";

    /** @param mode auto, legacy, or the only revision that it may use */
    static ScriptClient newer(String mode) {
        return new ScriptClient("@modelcontextprotocol/client", mode);
    }

    static ScriptClient older() {
        return new ScriptClient("@modelcontextprotocol/sdk", "");
    }

    @Override
    public String version() {
        return Node.version(name);
    }

    @Override
    public SessionTranscript talk(String url, String key, String agent) {
        return SessionTranscript.of(steps -> {
            var ended = Node.run(
                    Map.of("ENGINE_KEY", key),
                    List.of(Node.script("client.mjs"), mode.isEmpty() ? OLDER : mode, url, agent));
            for (var line : ended.output().lines().toList()) {
                var step = Json.read(line.getBytes(StandardCharsets.UTF_8));
                steps.put(step.get("step").asString(), step.path("got"));
            }
            assertThat(ended.code()).as(ended.errors()).isZero();
        });
    }
}
