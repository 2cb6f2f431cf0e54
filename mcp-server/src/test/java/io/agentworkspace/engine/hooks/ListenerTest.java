package io.agentworkspace.engine.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The listener, which wakes a session: what it does when the engine, its client or the machine does not do its part. */
@Tag("slow")
class ListenerTest {
    private static final String LISTENER =
            Repository.file("clients/workspace/listener.sh").toString();

    @TempDir
    Path folder;

    private final HookFixture it = new HookFixture();
    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void bin() throws IOException {
        Files.createDirectory(folder.resolve("bin"));
    }

    @AfterEach
    void end() {
        processes.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        });
    }

    private Process start(Map<String, String> environment, String... command) {
        var builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().put("PATH", folder.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().put("TMPDIR", folder.toString());
        builder.environment().put("ENGINE_LISTENER_PATIENCE", "2");
        builder.environment().put("ENGINE_KEY", it.ada);
        builder.environment().putAll(environment);
        try {
            var process = builder.start();
            processes.add(process);
            return process;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A program that the listener ends with: it reads its input, which does not come. */
    private Process client() {
        return start(Map.of(), "cat");
    }

    private Process listener(Process client, String url) {
        return start(
                Map.of("LISTENER_PID", Long.toString(client.pid()), "ENGINE_URL", url), "dash", LISTENER, "codex", "s");
    }

    private Path codex(String script) throws IOException {
        var program = Files.writeString(folder.resolve("bin/codex"), "#!/bin/sh\n" + script);
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<String> log() throws IOException {
        var log = folder.resolve("log");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    private static void answer(Socket connection) throws IOException {
        connection
                .getOutputStream()
                .write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: alive\n\n"
                        .getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aConnectionThatIsSilentIsReplacedAndTheListenerEndsWithItsClient() throws Exception {
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var client = client();
            var listener = listener(client, "http://127.0.0.1:" + server.getLocalPort());
            try (var silent = server.accept()) {
                answer(silent);
                try (var next = server.accept()) { // Although the first one is still open.
                    answer(next);
                    assertThat(listener.isAlive()).isTrue();
                    client.destroy();
                    assertThat(listener.waitFor()).isZero();
                }
            }
            assertThat(folder).isDirectoryNotContaining(path -> path.toString().contains("aw-listener"));
        }
    }

    @Test
    void aWakeUpThatHangsIsEndedAndComesAgain() throws Exception {
        codex("""
                echo "$$ $*" >>'%s/log'
                [ -e '%1$s/again' ] || { : >'%1$s/again'; exec tail -f /dev/null; }
                """.formatted(folder));
        it.told("s", "SessionStart", "");
        var listener = listener(client(), TestServer.url());
        it.say("tide at six");
        await("the second try").until(() -> log().size() == 2);
        assertThat(log()).allMatch(line -> line.endsWith("Workspace: 1 new message from Bert; read it with AP_Wait."));
        assertThat(ProcessHandle.of(Long.parseLong(log().getFirst().split(" ")[0]))
                        .filter(ProcessHandle::isAlive))
                .isEmpty();
        assertThat(listener.isAlive()).isTrue();
    }

    @Test
    void itFindsItsClientWithoutPs() throws Exception {
        var bin = Files.createDirectory(folder.resolve("few"));
        for (var tool : List.of(
                "sh",
                "cat",
                "curl",
                "dirname",
                "id",
                "mkdir",
                "mkfifo",
                "readlink",
                "rm",
                "rmdir",
                "sed",
                "sleep",
                "tr")) {
            var program = Path.of("/usr/bin", tool);
            Files.createSymbolicLink(bin.resolve(tool), Files.exists(program) ? program : Path.of("/bin", tool));
        }
        var hook = Repository.file("clients/workspace/hook.sh");
        var process = start(
                Map.of("PATH", bin.toString(), "ENGINE_URL", TestServer.url()),
                "/bin/sh",
                "-c",
                "printf '%s' '{\"session_id\":\"s\"}' | sh '" + hook + "' codex listen; true");
        assertThat(process.waitFor()).isZero();
        var itself = folder.resolve("aw-listener-" + Files.getAttribute(folder, "unix:uid"))
                .resolve("codex-" + ProcessHandle.current().pid());
        await("the listener of this program").until(() -> Files.exists(itself) && Files.size(itself) > 0);
        var listener = ProcessHandle.of(Long.parseLong(Files.readString(itself).split(" ")[0]))
                .orElseThrow();
        listener.destroy();
        await("its end").until(() -> !listener.isAlive() && Files.notExists(itself));
    }

    @Test
    void itDoesNotListenForASessionThatNothingCanWake() throws Exception {
        var environment = Map.of("CLAUDE_PID", Long.toString(client().pid()), "ENGINE_URL", TestServer.url());
        assertThat(start(environment, "dash", LISTENER, "claude-code", "s").waitFor())
                .isZero();
    }
}
