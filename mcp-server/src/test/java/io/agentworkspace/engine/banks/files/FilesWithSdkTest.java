package io.agentworkspace.engine.banks.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentworkspace.engine.banks.BankStage;
import io.agentworkspace.engine.mcp.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The memory tool of the official SDK, on a bank and on the SDK's own files: a model is given the same. */
@Tag("slow")
class FilesWithSdkTest {
    @Test
    void aModelIsGivenTheSameAsFromTheSdksOwnFiles() {
        Node.require();
        assumeTrue(
                Files.isDirectory(Node.module("@anthropic-ai/sdk")) || System.getenv("CI") != null,
                "npm ci installs it");
        var tenant = new TestTenant();
        BankStage.bank(tenant.member("ann"), "b");
        var key = tenant.key(Door.MCP, "root", Role.ADMIN, List.of("*"));
        var ended =
                Node.run(Map.of("ENGINE_KEY", key), List.of(Node.script("memory.mjs"), TestServer.url() + "/mcp", "b"));
        assertThat(ended.code()).as(ended.errors()).isZero();
        var steps = ended.output().lines().toList();
        assertThat(steps).hasSize(32);
        for (var line : steps) {
            var step = Json.read(line.getBytes(StandardCharsets.UTF_8));
            assertThat(comparable(step.path("ours").asString()))
                    .as(step.path("step").asString())
                    .isEqualTo(comparable(step.path("theirs").asString()));
        }
    }

    /**
     * The documentation of the tool begins some errors with {@code Error: }, the SDK none. The sizes of directories are those
     * of their files here, and of the file system's blocks there. What a path must be is said in other words.
     */
    private static String comparable(String text) {
        return text.replaceFirst("^refused: Error: ", "refused: ")
                .replaceAll("(?m)^\\S+\t(/memories/.*/|/memories|/memories/plans|/memories/archive)$", "directory\t$1")
                .replaceFirst("^refused: (The path must start with|Path must start with) .*", "refused: path")
                .replaceFirst("^refused: (Invalid path|Path .* would escape) .*", "refused: path");
    }
}
