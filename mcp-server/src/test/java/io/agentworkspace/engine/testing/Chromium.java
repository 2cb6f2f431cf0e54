package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentworkspace.engine.mcp.Node;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The system's real browser, driven by a script. */
public final class Chromium {
    private static final Path PROGRAM = Path.of("/usr/bin/chromium");

    private Chromium() {}

    /** Skips the test if the browser is missing; in CI it is required. */
    public static void require() {
        Node.require();
        var installed = Files.isExecutable(PROGRAM);
        assertThat(installed || System.getenv("CI") == null)
                .as("install chromium first")
                .isTrue();
        assumeTrue(installed, "chromium is not installed");
    }

    /** Runs the script, which must succeed, and returns what it told: a step in JSON for each line. */
    public static Steps play(Map<String, String> environment, String script, String... arguments) {
        var command = new ArrayList<>(List.of(Node.script(script)));
        command.addAll(List.of(arguments));
        var ended = Node.run(environment, command);
        assertThat(ended.code()).as(ended.errors()).isZero();
        return new Steps(ended.output()
                .lines()
                .map(line -> Json.readObject(line.getBytes(StandardCharsets.UTF_8)))
                .toList());
    }
}
