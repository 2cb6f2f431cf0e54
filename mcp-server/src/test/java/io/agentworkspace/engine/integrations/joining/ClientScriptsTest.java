package io.agentworkspace.engine.integrations.joining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others check of the files that clients install: Claude Code the plugin, and shells the scripts. */
@Tag("slow")
class ClientScriptsTest {
    @TempDir
    Path home;

    private record Ended(int code, String output) {}

    private Ended run(String command) {
        try {
            var output = Files.createTempFile(home, "run", ".out");
            var process = new ProcessBuilder("/bin/sh", "-c", command)
                    .directory(home.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            process.environment().clear();
            process.environment().put("PATH", Node.module(".bin") + ":/usr/bin:/bin");
            process.environment().put("HOME", home.toString());
            process.environment().putAll(Node.COMPILED);
            return new Ended(process.start().waitFor(), Files.readString(output));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void claudeCodeFindsNoFaultInThePlugin() {
        Node.require();
        // Claude Code takes an archive only from https and another machine.
        assertThat(
                        run("curl -fsSO %1$s/join/workspace.zip && curl -fsS %1$s/join/marketplace.json | sed 's#%1$s#https://engine.example#' >marketplace.json"
                                        .formatted(TestServer.url()))
                                .code())
                .isZero();
        try (var zip = FileSystems.newFileSystem(home.resolve("workspace.zip"));
                var files = Files.walk(zip.getPath("/"))) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var copy = home.resolve("plugin" + file);
                Files.createDirectories(copy.getParent());
                Files.writeString(copy, Files.readString(file));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        for (var checked :
                List.of(home.resolve("plugin"), home.resolve("marketplace.json"), Repository.file("clients"))) {
            var ended = run("claude plugin validate " + checked);
            assertThat(ended.code()).as(ended.output()).isZero();
            assertThat(ended.output()).contains("Validation passed").doesNotContain("refuses a submission");
        }
    }

    /** Each is a file that works alone. */
    @Test
    void theHookOfAClientAndThatOfGitSendInTheSameWay() {
        var send = "(?s).*\\n(# Sends a body .*?\\n}\\n).*";
        var sent = Repository.text(Repository.file("clients/workspace/hook.sh")).replaceFirst(send, "$1");
        assertThat(sent).startsWith("# Sends a body ").contains("X-API-Key");
        assertThat(Repository.text(Repository.file("clients/pre-commit"))).contains(sent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dash -n", "bash -n", "zsh -n", "shellcheck -s sh"})
    void theScriptsArePlainShell(String checker) {
        var isThere = run("command -v " + checker.split(" ")[0]).code() == 0;
        assertThat(isThere || System.getenv("CI") == null).isTrue();
        assumeTrue(isThere);
        for (var script : List.of(
                "join.sh",
                "workspace/hook.sh",
                "workspace/listener.sh",
                "workspace/monitor.sh",
                "gemini-cli/extension/hook.sh",
                "pre-commit")) {
            var ended = run(checker + " " + Repository.file("clients/" + script));
            assertThat(ended.output()).as(script).isEmpty();
            assertThat(ended.code()).isZero();
        }
    }
}
