package io.agentworkspace.engine.integrations.joining;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/**
 * Joining on Windows, as far as a system without it shows: the script in a shell that says it is Git Bash, and the script for PowerShell
 * as a grammar of PowerShell reads it; where there is a PowerShell, as it runs it.
 */
@Tag("slow")
class WindowsJoinTest extends JoinFixture {
    private static final String EVENT =
            "{\"hook_event_name\":\"%1$s\",\"session_id\":\"s-1\",\"conversation_id\":\"s-1\",\"source\":\"startup\",\"cwd\":\"/a"
                    + " \\\\\\\"b\\\"\"}";

    @TempDir
    Path temporary;

    /** The shell says what Git Bash says of itself, and has its programs. The user's folder has a space and a letter beyond ASCII. */
    @BeforeEach
    void gitBash() throws IOException {
        home = Files.createDirectory(home.resolve("Jürgen Müller"));
        variables.put("TMPDIR", temporary.toString());
        // The environment has the key of another agent, and no address.
        variables.put("ENGINE_KEY", "ek_000000000000_0000000000000000000000000000000000000000000");
        program("uname", "case $1 in -s) echo MINGW64_NT-10.0 ;; *) exec /usr/bin/uname \"$@\" ;; esac\n");
        program("cygpath", "printf '%s\\n' \"$2\"\n");
        program(
                "where",
                "printf '%s\\r\\n' 'C:\\Program Files\\Git\\mingw64\\bin\\git.exe' 'C:\\Program Files\\Git\\cmd\\git.exe'\n");
        // The curl of Windows cannot read from a descriptor of the shell.
        program("curl", "case \"$*\" in *dev/fd*) exit 26 ;; esac; exec /usr/bin/curl \"$@\"\n");
        program("cursor", "echo 9.8.7\n");
        program("copilot", "echo 9.8.7\n");
        program("qwen", "echo 9.8.7\n");
        programs += ":" + PROGRAMS + ":" + Node.module(".bin");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        claude-code | .claude/settings.json                | /hooks/SessionStart/0/hooks/0/command       | SessionStart
        codex       | .codex/hooks.json                    | /hooks/UserPromptSubmit/0/hooks/0/command   | UserPromptSubmit
        cursor      | .cursor/hooks.json                   | /hooks/sessionStart/0/command               | sessionStart
        copilot-cli | .copilot/hooks/agent-workspace.json  | /hooks/sessionStart/0/powershell            | sessionStart
        qwen-code   | .qwen/settings.json                  | /hooks/SessionStart/0/hooks/0/command       | SessionStart
        """)
    void aClientJoinsInGitBashAndLeaves(String client, String hooks, String pointer, String event) {
        require("claude");
        require("codex");
        var before = state();
        var joined = join("dash", invitation("Guest") + " --client " + client).good();
        assertThat(joined.output())
                .as("nothing wakes a session on Windows, and it says by what name and what to do")
                .contains("A message does not wake an idle session of", "AP_Wait");
        assertThat(joined.output())
                .as("what is printed is true, and runs, in Windows, too")
                .contains("irm %s/join.ps1))) --leave".formatted(TestServer.url()), "you and administrators")
                .doesNotContain("is then readable by you only");
        assertThat(text(hooks)).doesNotContain("hook.sh' %s listen".formatted(client));
        assertThat(state().keySet()).noneMatch(path -> path.endsWith("listener.sh"));
        var command = json(hooks).at(pointer).asString();
        if (!client.equals("claude-code")) {
            assertThat(command)
                    .as("the same in PowerShell, cmd and Git Bash")
                    .startsWith("git -c \"alias.aw=!")
                    .endsWith("\" aw")
                    .doesNotContain("$", "%", "`");
        }
        assertThat(hook(command, event).toString())
                .as("a prompt is answered if something waits")
                .contains(event.equals("UserPromptSubmit") ? "{}" : "Guest");
        assertThat(temporary.toFile().list())
                .as("no request with the key is left")
                .noneMatch(name -> name.startsWith("join."));
        join("dash", "--leave").good();
        assertThat(state()).isEqualTo(before);
        assertThat(run("/bin/sh", "-c", "OS=Windows_NT; export OS; " + command + " </dev/null")
                        .good()
                        .output())
                .as("a hook without its script")
                .isEmpty();
    }

    private JsonNode hook(String command, String event) {
        try {
            var folder = Files.createTempDirectory("hook");
            Files.writeString(folder.resolve("command"), command);
            Files.writeString(folder.resolve("event"), EVENT.formatted(event));
            var answer = run(
                            "/bin/sh",
                            "-c",
                            "cd '%1$s'; OS=Windows_NT sh command <event; rm -r '%1$s'".formatted(folder))
                    .good()
                    .output();
            return Json.readObject(answer.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void doctorSaysThatCodexDoesNotTrustTheHooksYet() {
        require("codex");
        join("dash", invitation("Guest") + " --client codex").good();
        var told = join("dash", "--doctor --client codex");
        assertThat(told.output())
                .contains("does not wake an idle session", "TO DO the hooks are not trusted yet")
                .doesNotContain("git is not on the PATH", "a message wakes");
        assertThat(told.code()).isEqualTo(1);
        assertThat(join("dash", "--doctor --client cursor").output())
                .contains("irm %s/join.ps1))) --client cursor <code>".formatted(TestServer.url()));
        gitBashHasTheOnlyGit();
        assertThat(join("dash", "--doctor --client codex").output()).contains("TO DO git is not on the PATH");
    }

    @ParameterizedTest
    @CsvSource({
        "XDG_CONFIG_HOME, cursor",
        "CODEX_HOME, codex",
        "COPILOT_HOME, copilot-cli",
        "CLAUDE_CONFIG_DIR, claude-code"
    })
    void aKeyIsKeptOnlyInTheUsersOwnFolder(String variable, String client) {
        require("claude");
        require("codex");
        for (var folder : List.of(temporary + "/elsewhere", home + "/../elsewhere")) {
            variables.put(variable, folder);
            var refused = join("dash", invitation("Guest") + " --client " + client);
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.output()).contains("others may read files outside of " + home, "nothing was changed");
        }
        // Windows does not tell letters by their case.
        variables.put(variable, home.toString().replace("Jürgen", "JüRGEN") + "/of-" + client);
        join("dash", invitation("Guest") + " --dry-run --client " + client).good();
    }

    @Test
    void whereOnlyGitBashHasGitAClientWhoseHooksItRunsIsRefused() {
        require("claude");
        gitBashHasTheOnlyGit();
        var refused = join("dash", invitation("Guest") + " --client cursor");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output()).contains("git is not on the PATH", "nothing was changed");
        join("dash", invitation("Guest") + " --dry-run --client claude-code").good();
    }

    private void gitBashHasTheOnlyGit() {
        var others = programs;
        program("where", "printf '%s\\r\\n' 'C:\\Program Files\\Git\\mingw64\\bin\\git.exe'\n");
        programs = others;
    }

    @Test
    void aFolderThatItsShellsWouldChangeIsRefused() {
        home = home.resolve("a%b");
        write("x", "");
        var refused = join("dash", invitation("Guest") + " --client cursor");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output()).contains("shells of Windows replace", "nothing was changed");
    }

    @Test
    void powershellGetsAScriptThatRunsTheOther() throws IOException {
        Node.require();
        var script = home.resolve("join.ps1");
        run("/usr/bin/curl", "-fsSo", script.toString(), TestServer.url() + "/join.ps1")
                .good();
        assertThat(text("join.ps1")).contains("'" + TestServer.url() + "/join'").doesNotContain("@BASE_URL@");
        run(Node.module(".bin/node").toString(), Node.script("powershell.mjs"), script.toString())
                .good();
        Files.writeString(script, text("join.ps1").replaceFirst("finally \\{", "finally "));
        assertThat(run(Node.module(".bin/node").toString(), Node.script("powershell.mjs"), script.toString())
                        .code())
                .as("the grammar finds what is wrong")
                .isEqualTo(1);
        if (run("/bin/sh", "-c", "command -v pwsh").code() == 0) {
            var line = "& ([scriptblock]::Create((irm %s/join.ps1))) --client cursor,codex --dry-run %s"
                    .formatted(TestServer.url(), invitation("Guest"));
            var refused = run("pwsh", "-NoProfile", "-Command", line);
            assertThat(refused.output()).contains("a code is good for one agent");
            assertThat(refused.code()).isEqualTo(1);
        }
    }
}
