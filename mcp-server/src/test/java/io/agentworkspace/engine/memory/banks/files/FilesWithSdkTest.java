package io.agentworkspace.engine.memory.banks.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.memory.banks.BankFixture;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the official SDK's memory tool on a bank and on the SDK's own files: a model gets the same results. */
@Tag("slow")
class FilesWithSdkTest {
    @Test
    void aModelIsGivenTheSameAsFromTheSdksOwnFiles() {
        Node.require();
        assumeTrue(
                Files.isDirectory(Node.module("@anthropic-ai/sdk")) || System.getenv("CI") != null,
                "npm ci installs it");
        var tenant = new TestTenant();
        BankFixture.bank(tenant.member("ann"), "b");
        var key = tenant.key(ClientApi.MCP, "root", Role.ADMIN, List.of("*"));
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
     * Removes the known differences. The tool's documentation begins some errors with {@code Error: }, the SDK none. Directory
     * sizes are those of their files here, and of file system blocks there. The errors for paths are worded differently.
     */
    private static String comparable(String text) {
        return text.replaceFirst("^refused: Error: ", "refused: ")
                .replaceAll("(?m)^\\S+\t(/memories/.*/|/memories|/memories/plans|/memories/archive)$", "directory\t$1")
                .replaceFirst("^refused: (The path must start with|Path must start with) .*", "refused: path")
                .replaceFirst("^refused: (Invalid path|Path .* would escape) .*", "refused: path");
    }
}
