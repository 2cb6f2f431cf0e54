package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The system's real browser, driven by a script. */
public final class Chromium {
    /** The build without a window, which needs a third less processor time, or else the whole browser. */
    private static final Optional<Path> PROGRAM = Stream.of("chromium-headless-shell", "chromium")
            .map(name -> Path.of("/usr/bin", name))
            .filter(Files::isExecutable)
            .findFirst();

    private Chromium() {}

    /** Skips the test if the browser is missing; in CI it is required. */
    public static void require() {
        Node.require();
        var installed = PROGRAM.isPresent();
        assertThat(installed || System.getenv("CI") == null)
                .as("install chromium first")
                .isTrue();
        assumeTrue(installed, "chromium is not installed");
    }

    /** Runs the script, which must succeed, and returns what it told: a step in JSON for each line. */
    public static Steps play(Map<String, String> environment, String script, String... arguments) {
        var command = new ArrayList<>(List.of(Node.script(script)));
        command.addAll(List.of(arguments));
        var all = new HashMap<>(environment);
        PROGRAM.ifPresent(program -> all.put("CHROMIUM", program.toString()));
        var ended = Node.run(all, command);
        assertThat(ended.code()).as(ended.errors()).isZero();
        return new Steps(ended.output()
                .lines()
                .map(line -> Json.readObject(line.getBytes(StandardCharsets.UTF_8)))
                .toList());
    }
}
