package io.agentworkspace.engine.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The TypeScript clients, the newer and the older one, as {@code client.mjs} leads them. */
record ScriptClient(String name, String mode) implements OfficialClient {
    private static final String OLDER = "sdk1";

    /** @param mode auto, legacy, or the only revision that it is to speak */
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
    public Talk talk(String url, String key, String agent) {
        return Talk.of(steps -> {
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
