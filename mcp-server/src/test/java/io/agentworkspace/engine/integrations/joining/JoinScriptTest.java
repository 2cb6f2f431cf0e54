package io.agentworkspace.engine.integrations.joining;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ArrayNode;

/**
 * The script of {@code GET /join}, run as the documentation prints it, with the real programs from npm: it configures them,
 * and {@code --leave} leaves the home folder as it was, byte by byte. {@code CodingAgentsTest} shows that they are connected then.
 */
@Tag("slow")
class JoinScriptTest extends JoinFixture {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude-code | claude | dash | .claude/settings.json | 5
            codex       | codex  | dash | .codex/hooks.json     | 5
            codex       | codex  | zsh  | .codex/hooks.json     | 5
            gemini-cli  | gemini | bash | .gemini/settings.json | 4
            """)
    void aProgramIsConnectedByOneLineAndLeavesTheHomeAsItWas(
            String client, String program, String shell, String hooks, int requests) throws IOException {
        require(program);
        requireShell(shell);
        var log = Files.createTempFile("join", ".log");
        program(program, "echo start >>%s; exec %s \"$@\"\n".formatted(log, PROGRAMS.resolve(program)));
        program("curl", "echo request >>%s; exec /usr/bin/curl \"$@\"\n".formatted(log));
        programs += ":" + PROGRAMS;
        var before = state();
        var code = invitation("Guest");
        var joined = join(shell, "%s --client %s".formatted(code, client)).good();
        // The rest of the way to the first message is the client's start, which CodingAgentsTest walks.
        assertThat(Files.readAllLines(log))
                .as("what joining waits for")
                .hasSize(1 + requests)
                .containsOnlyOnce("start")
                .contains("request");
        assertThat(joined.output())
                .contains("has joined as the agent 'Guest'", home.resolve(hooks).toString())
                .doesNotContain("ek_", code);
        var key = text(".config/agent-workspace/%s/key".formatted(client)).strip();
        assertThat(text(hooks)).contains("agent-workspace/" + client + "/hook.sh' " + client);
        var guard = json(hooks).path("hooks").path(client.equals("gemini-cli") ? "BeforeTool" : "PreToolUse");
        assertThat(guard).hasSize(1);
        assertThat(guard.at("/0/matcher").asString()).containsPattern("Write|write_file");
        assertKeysAreKept(key);
        assertThat(ClientApi.REST
                        .call(TestServer.url(), key, "US_Read", Json.object())
                        .ok()
                        .envelope()
                        .toString())
                .contains("Guest");
        var again = join(shell, "%s --client %s".formatted(code, client));
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.output()).contains("has joined already");
        join(shell, "--leave").good();
        assertThat(state()).isEqualTo(before);
        assertThat(join(shell, "--leave").output()).contains("nothing has joined");
        Files.delete(log);
    }

    /** What the README's first lines do: two programs of one machine, one line each. */
    @Test
    void theLinesOfOneMachineJoinOneProgramEach() {
        require("claude");
        require("codex");
        require("gemini");
        for (var name : List.of("claude", "codex", "gemini", "node")) {
            program(name, "exec %s \"$@\"\n".formatted(PROGRAMS.resolve(name)));
        }
        join("dash", invitation("First") + " --client codex").good();
        join("dash", invitation("Second") + " --client gemini").good();
        assertThat(join("dash", invitation("Third")).good().output())
                .contains("claude-code has joined as the agent 'Third'");
        var fourth = join("dash", invitation("Fourth") + " --client claude");
        assertThat(fourth.code()).isEqualTo(1);
        assertThat(fourth.output()).contains("claude-code has joined already");
    }

    @Test
    void whatWasThereIsKeptAndRestored() {
        require("claude");
        write(".claude.json", "{\"theme\":\"dark\",\"projects\":{}}\n");
        write(".claude/settings.json", """
                {"permissions":{"allow":["Bash(ls:*)"]},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}],"PreToolUse":[]},
                 "env":{"A":"b"}}""");
        write("project/.mcp.json", "{}");
        var before = state();
        join("dash", invitation("Guest") + " --client claude").good();
        var settings = json(".claude/settings.json");
        assertThat(settings.at("/hooks/Stop")).hasSize(2);
        assertThat(settings.at("/hooks/PreToolUse/0/matcher").asString()).contains("Edit");
        assertThat(settings.at("/hooks/PreCompact/0/hooks/0/type").asString()).isEqualTo("mcp_tool");
        assertThat(settings.at("/permissions/allow/0").asString()).isEqualTo("Bash(ls:*)");
        assertThat(settings.at("/env/A").asString()).isEqualTo("b");
        assertThat(settings.at("/permissions/allow").toString())
                .contains("mcp__agent-workspace__AP_Wait", "mcp__agent-workspace__MB_Search")
                .doesNotContain("AP_Chat", "MB_Store");
        var server = json(".claude.json").at("/mcpServers/agent-workspace");
        assertThat(run("/bin/sh", "-c", server.path("headersHelper").asString()).output())
                .matches("\\{\"X-Api-Key\": \"ek_\\w+\"}");
        for (var file : List.of(".claude.json", ".claude/settings.json")) {
            assertThat(text(file)).as(file).doesNotContain("ek_");
        }
        assertThat(state().get(".claude/settings.json")).startsWith("rw-------");
        assertThat(state().get("project/.mcp.json")).isEqualTo(before.get("project/.mcp.json"));
        join("dash", "--leave --client claude-code").good();
        assertThat(state()).isEqualTo(before);
    }

    /** Claude Code and Gemini CLI write their whole settings again, so what was added looks different then. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude-code | claude | .claude/settings.json
            codex       | codex  | .codex/hooks.json
            gemini-cli  | gemini | .gemini/settings.json
            """)
    void whatAProgramHasWrittenAnewIsCleaned(String client, String program, String hooks) {
        require(program);
        var theirs = """
                {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}, "env": {"A": "b"}}""";
        write(hooks, theirs);
        var before = state();
        join("dash", invitation("Guest") + " --client " + client).good();
        var settings = json(hooks);
        settings.withObject("/env").put("A", "c").put("B", "d");
        ((ArrayNode) settings.at("/hooks/Stop")).addObject().put("mine", true);
        write(hooks, settings.toPrettyString());
        join("dash", "--leave").good();
        assertThat(json(hooks).toString())
                .isEqualTo(
                        "{'hooks':{'Stop':[{'hooks':[{'type':'command','command':'true'}]},{'mine':true}]},'env':{'A':'c','B':'d'}}"
                                .replace('\'', '"'));
        assertThat(state().get(hooks)).startsWith("rw-r--r--");
        assertThat(state().keySet()).containsAll(before.keySet()).noneMatch(path -> path.contains("agent-workspace"));
        join("dash", invitation("Guest") + " --client " + client).good();
    }

    @Test
    void whatIsNotOursStaysAsItWas() {
        codex("");
        var hooks = ".codex/hooks.json";
        write(".codex/config.toml", "model = \"m\"\n");
        write(hooks, "{ // mine\n  \"hooks\": {\n    \"Stop\": [ ]\n  }\n}");
        join("dash", invitation("Guest") + " --client codex").good();
        write(hooks, text(hooks).replace("// mine", "// still mine"));
        write(".codex/config.toml", text(".codex/config.toml") + "\n# mine\n[next]\nx = 1\n");
        join("dash", "--leave").good();
        assertThat(text(hooks)).matches("\\{ // still mine\\n *}");
        assertThat(text(".codex/config.toml")).isEqualTo("model = \"m\"\n\n# mine\n[next]\nx = 1\n");
    }

    @Test
    void itSaysWhatIsLeftAndGoesOnWhenThatIsRemoved() {
        codex("");
        var before = state();
        join("dash", invitation("Guest") + " --client codex").good();
        write(".codex/hooks.json", text(".codex/hooks.json") + "}");
        var left = join("dash", "--leave");
        assertThat(left.code()).isEqualTo(1);
        assertThat(left.output())
                .contains("hooks.json could not be cleaned", "hook.sh", "has not left completely")
                .doesNotContain("codex has left.", "before joining");
        assertThat(join("dash", "--leave").code()).isEqualTo(1);
        write(".codex/hooks.json", "{}");
        assertThat(join("dash", "--leave").good().output()).contains("codex has left.");
        assertThat(state()).isEqualTo(before);
    }

    /** Many keep their settings in a repository of dotfiles, which the key must not enter. */
    @Test
    void settingsInARepositoryGetNoKey() {
        require("claude");
        run("/bin/sh", "-c", """
                mkdir dots .claude; git init -q dots; echo '{"permissions":{"allow":["Read"]}}' >dots/settings.json
                ln -s ../dots/settings.json .claude/settings.json; chmod 644 dots/settings.json
                """).good();
        var before = state();
        join("dash", invitation("Guest") + " --client claude --no-allow").good();
        var key = text(".config/agent-workspace/claude-code/key").strip();
        assertThat(text("dots/settings.json"))
                .contains("agent-workspace/claude-code/hook.sh")
                .doesNotContain(key, "mcp__agent-workspace__");
        assertThat(state().get("dots/settings.json")).startsWith("rw-r--r--");
        assertThat(state().get(".claude/settings.json")).startsWith("to ");
        assertKeysAreKept(key);
        join("dash", "--leave").good();
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void theQuestionNamesTheAgent() {
        program("claude", "exit 9");
        program("codex", "exit 9");
        // "script" gives it a terminal, where the user presses the key of return three times.
        var question = run(
                "/bin/sh",
                "-c",
                "yes '' | head -n 3 | script -qefc 'curl -fsS %s/join | sh -s -- %s' /dev/null"
                        .formatted(TestServer.url(), invitation("Guest")));
        assertThat(question.output()).contains("Which one joins as the agent 'Guest'? [claude-code]");
        assertThat(rest.call("AK_Invitations").ok().at("/invitations")).hasSize(1);
    }

    /** A Codex that adds the server as the real one does. */
    private void codex(String more) {
        program("codex", more + """

                [ "$2" = add ] || exit 9
                printf '[mcp_servers.agent-workspace]\\nurl = "x"\\n' >>"$CODEX_HOME/config.toml"
                """);
    }

    @Test
    void nothingChangesWhereItOnlyShowsOrCannotJoin() {
        program("claude", "exit 9");
        program("codex", "exit 9");
        var before = state();
        var code = invitation("Guest");
        assertThat(join("dash", code + " --client codex --dry-run").good().output())
                .contains("codex mcp add", "the name of this machine");
        for (var refused : new String[][] {
            {code, "good for one agent"},
            {code + " --client gemini", "not found on the PATH"},
            {code + " --client emacs", "no client 'emacs'"},
            {"--client codex", "code of an invitation is missing"},
            {"ek_x", "neither an option nor a code"},
            {"'ej_\"$(touch evil)' --client codex", "the code is not valid"},
            {code + " --client codex", "could not be configured"},
        }) {
            var ended = join("dash", refused[0]);
            assertThat(ended.code()).as(ended.output()).isEqualTo(1);
            assertThat(ended.output()).contains(refused[1]);
            assertThat(state()).as(refused[0]).isEqualTo(before);
        }
        assertThat(rest.call("AK_Invitations").ok().at("/invitations")).hasSize(1);
        codex("");
        before = state();
        var unknown = join("dash", "ej_0000000000000000000000000000 --client codex");
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.output()).contains("the code is not valid");
        assertThat(state()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            codex  | touch .config                                          | .config cannot be written
            codex  | touch .codex                                           | .codex cannot be written
            codex  | mkdir -p .codex/config.toml                            | config.toml cannot be written
            codex  | mkdir .codex; ln -s nowhere .codex/hooks.json          | is a link to nothing
            codex  | mkdir .codex; touch .codex/skills                      | .codex/skills cannot be written
            codex  | mkdir .codex; echo '{"hooks":[]}' >.codex/hooks.json   | has something else at
            codex  | mkdir .codex; echo 'hooks' >.codex/hooks.json          | is not JSON
            codex  | git init -q .                                          | does not ignore it
            codex  | mkdir dots .codex; git init -q dots; touch dots/c; ln -s ../dots/c .codex/config.toml | does not ignore it
            codex  | git init -q --bare .cfg; mkdir .codex; touch .codex/config.toml; git --git-dir=.cfg --work-tree=. add .codex/config.toml | does not ignore it
            claude | ln -s /proc .config                                    | cannot be written
            """)
    void theCodeIsNotUsedWhereTheKeyWouldBeLostOrPublic(String client, String setup, String reason) {
        codex("");
        program("claude", """
                printf '{"mcpServers":{"agent-workspace": {}}}' >"$CLAUDE_CONFIG_DIR/.claude.json"
                """);
        run("/bin/sh", "-c", setup).good();
        var before = state();
        var refused = join("dash", invitation("Guest") + " --client " + client);
        assertThat(refused.code()).as(refused.output()).isEqualTo(1);
        assertThat(refused.output()).contains(reason).doesNotContain("ek_");
        assertThat(state()).isEqualTo(before);
        assertThat(rest.call("AK_Invitations").ok().at("/invitations")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"o'brien", "a\"b", "a\\b"})
    void aFolderThatNoCommandCanNameIsRefused(String name) {
        codex("");
        write(name + "/x", "");
        home = home.resolve(name);
        var before = state();
        var refused = join("dash", invitation("Guest") + " --client codex");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.output()).contains("has a quotation mark");
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void theKeyIsKeptIfAFileCannotBeWrittenAfterAll() {
        codex("mkdir -p \"$HOME/.codex/config.toml\"");
        var before = state();
        var failed = join("dash", invitation("Guest") + " --client codex");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.output())
                .contains(".config/agent-workspace/codex/key", "--leave --client codex", "AK_Revoke", "new invitation")
                .doesNotContain("ek_");
        assertKeysAreKept(text(".config/agent-workspace/codex/key").strip());
        join("dash", "--leave").good();
        run("/bin/sh", "-c", "rmdir .codex/config.toml .codex").good();
        assertThat(state()).isEqualTo(before);
    }

    /** Its owner changes a file while the code is used: then it is not true that nothing was changed. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            echo hooks >.codex/hooks.json                                        | is not JSON: correct it first
            echo >.codex/config.toml; echo exit 9 >bin/codex                     | its command failed
            """)
    void whatFailsAfterTheCodeWasUsedSaysSo(String change, String reason) {
        codex("");
        program("curl", """
                /usr/bin/curl "$@"
                case "$*" in */api/join) mkdir -p "$HOME/.codex"; cd "$HOME"; %s ;; esac
                """.formatted(change));
        var failed = join("dash", invitation("Guest") + " --client codex");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.output())
                .contains(reason, ".config/agent-workspace/codex/key", "--leave --client codex")
                .doesNotContain("othing was changed", "ek_");
    }

    @Test
    void filesOfOthersStayWhenItLeaves() {
        codex("[ \"$2\" != add ] || { mkdir -p \"$HOME/.codex\"; echo theirs >\"$HOME/.codex/theirs\"; }");
        var before = state();
        join("dash", invitation("Guest") + " --client codex").good();
        write(".codex/skills/workspace/notes.md", "mine");
        write(".config/agent-workspace/codex/notes.md", "mine");
        var left = join("dash", "--leave").good();
        assertThat(left.output()).contains("agent-workspace/codex has files that joining did not make");
        var files = state();
        for (var other : List.of(
                ".codex/theirs", ".codex/skills/workspace/notes.md", ".config/agent-workspace/codex/notes.md")) {
            assertThat(files).containsKey(other);
            for (var path = Path.of(other); path != null; path = path.getParent()) {
                files.remove(path.toString());
            }
        }
        assertThat(files).isEqualTo(before);
    }
}
