package io.agentworkspace.engine.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Redocly and Spectral report no problems in the document. One reads it as YAML and the other as JSON, which {@code OpenApiTest}
 * compares. Their configuration files list the disabled rules.
 */
@DisabledIfSystemProperty(
        named = "golden",
        matches = "update",
        disabledReason = "what is served has the examples from before")
@Tag("slow")
class OpenApiLintTest {
    @TempDir
    private static Path folder;

    private static String json;
    private static String yaml;
    private static String rules;

    @BeforeAll
    static void fetch() throws IOException {
        Node.require();
        var contract = Contract.at(TestServer.url());
        json = Files.write(folder.resolve("openapi.json"), contract.bytes()).toString();
        yaml = Files.writeString(folder.resolve("openapi.yaml"), contract.yaml(TestServer.url()))
                .toString();
        // In the same folder as the documents, since it refers to them by relative paths.
        rules = Files.copy(Path.of(Node.script("spectral.yaml")), folder.resolve("spectral.yaml"))
                .toString();
    }

    @Test
    void redoclyFindsNothing() {
        var ended = lint("@redocly/cli/bin/cli.js", "lint", "--config", Node.script("redocly.yaml"), yaml);

        assertThat(ended.code())
                .as("%s%n%s%n%s", OpenApiExamplesTest.NEEDS, ended.output(), ended.errors())
                .isZero();
        assertThat(ended.errors()).contains("Your API description is valid").doesNotContain("warning", "ignored");
    }

    @Test
    void spectralFindsNothing() {
        var ended = lint(
                "@stoplight/spectral-cli/dist/index.js", "lint", "--ruleset", rules, "--fail-severity", "hint", json);

        assertThat(ended.code())
                .as("%s%n%s%n%s", OpenApiExamplesTest.NEEDS, ended.output(), ended.errors())
                .isZero();
        assertThat(ended.output()).contains("No results with a severity of 'hint' or higher found!");
    }

    /** Runs a linter without network access. */
    private static Node.Ended lint(String program, String... arguments) {
        var command = new ArrayList<>(List.of(Node.module(program).toString()));
        command.addAll(List.of(arguments));
        return Node.run(Map.of("REDOCLY_TELEMETRY", "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE", "true"), command);
    }
}
