package io.agentworkspace.engine.integrations.joining;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.workspace.delivery.hooks.ClientFolder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The clients whose files the join script changes itself, the folder of each client, and what the script says of a machine. */
@Tag("slow")
class OtherClientsTest extends JoinFixture {
    private static final String WHAT_WAS_THERE = """
            { // mine
              "hooks": {"stop": [{"command": "true"}], "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},
              "theirs": {"A": "b"}
            }
            """;

    /** Those that are no program on the PATH here. */
    private void programs() {
        for (var name : List.of("cursor", "copilot", "code", "agy", "qwen", "opencode")) {
            program(name, "[ \"$1\" = --version ] && echo 9.8.7\n");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cursor          | .cursor/mcp.json                | .cursor/hooks.json
            copilot-cli     | .copilot/mcp-config.json        | .copilot/hooks/agent-workspace.json
            vscode          | .config/Code/User/mcp.json      |
            antigravity-cli | .gemini/config/mcp_config.json  | .gemini/config/hooks.json
            qwen-code       | .qwen/settings.json             | .qwen/settings.json
            opencode        | .config/opencode/opencode.json  | .config/opencode/plugins/agent-workspace.js
            """)
    void aClientIsConnectedAndLeavesTheHomeAsItWas(String client, String servers, String hooks) {
        programs();
        var empty = state();
        joinAndLeave(client, servers, hooks);
        assertThat(state()).as("with no files before").isEqualTo(empty);
        write(servers, WHAT_WAS_THERE);
        if (hooks != null && !hooks.endsWith(".js")) {
            write(hooks, WHAT_WAS_THERE);
        }
        var before = state();
        joinAndLeave(client, servers, hooks);
        assertThat(state()).as("with files before").isEqualTo(before);
    }

    private void joinAndLeave(String client, String servers, String hooks) {
        var joined = join("dash", invitation("Guest") + " --client " + client).good();
        assertThat(joined.output()).contains("has joined as the agent 'Guest'").doesNotContain("ek_");
        var key = text(".config/agent-workspace/%s/key".formatted(client)).strip();
        assertKeysAreKept(key);
        assertThat(text(servers)).contains("\"agent-workspace\"", TestServer.url() + "/mcp");
        assertThat(text(servers).contains(key)).isEqualTo(!client.equals("vscode"));
        if (hooks != null) {
            assertThat(text(hooks)).contains(TestServer.url());
            assertThat(text(servers) + text(hooks)).doesNotContain("the-key-of-agent-workspace");
        }
        if (client.equals("cursor")) {
            assertThat(text(hooks)).as("without it, Cursor reads no hooks").contains("\"version\": 1");
        }
        var doctor = join("dash", "--doctor --client " + client).good();
        assertThat(doctor.output())
                .contains("accepts the key", "the MCP server is in")
                .doesNotContain("TO DO", "ek_");
        join("dash", "--leave").good();
    }

    /** If the program or its user has changed the files since, what joining did not write stays. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cursor          | .cursor/mcp.json                | .cursor/hooks.json
            vscode          | .config/Code/User/mcp.json      | .config/Code/User/mcp.json
            antigravity-cli | .gemini/config/mcp_config.json  | .gemini/config/hooks.json
            qwen-code       | .qwen/settings.json             | .qwen/settings.json
            opencode        | .config/opencode/opencode.json  | .config/opencode/opencode.json
            """)
    void whatWasChangedSinceIsCleaned(String client, String servers, String hooks) {
        programs();
        var theirs = "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"true\"}]},\"theirs\":{\"A\":\"b\"}}";
        write(servers, theirs);
        write(hooks, theirs);
        join("dash", invitation("Guest") + " --client " + client).good();
        for (var file : List.of(servers, hooks)) {
            var settings = json(file);
            settings.withObject("/theirs").put("A", "c");
            write(file, settings.toPrettyString());
        }
        join("dash", "--leave").good();
        for (var file : List.of(servers, hooks)) {
            assertThat(json(file).toString()).isEqualTo(theirs.replace("\"b\"", "\"c\""));
        }
        assertThat(state().keySet()).noneMatch(path -> path.contains("agent-workspace"));
    }

    /** One machine, one program after the other; each leaves by itself, and the last one leaves nothing. */
    @Test
    void aMachineWithManyClientsLeavesByteForByte() {
        require("claude");
        require("codex");
        require("copilot");
        program("cursor", "exit 9");
        write(".claude.json", "{\"theme\":\"dark\"}\n");
        write(".codex/config.toml", "model = \"m\"\n");
        write(".cursor/mcp.json", "{\"mcpServers\": {}}");
        programs += ":" + PROGRAMS + ":" + Node.module(".bin");
        var before = state();
        var clients = List.of("claude-code", "codex", "copilot-cli", "cursor");
        for (var client : clients) {
            join("dash", invitation("Guest of " + client) + " --client " + client)
                    .good();
        }
        assertThat(rest.call("AK_List").ok().texts("/keys", "agent"))
                .containsAll(
                        clients.stream().map(client -> "Guest of " + client).toList());
        join("dash", "--leave --client cursor").good();
        assertThat(text(".cursor/mcp.json")).isEqualTo("{\"mcpServers\": {}}");
        join("dash", "--leave").good();
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void whatCannotWakeIsSaidByName() {
        programs();
        var shown =
                join("dash", invitation("Guest") + " --client cursor --dry-run").good();
        assertThat(shown.output()).contains("a message does not wake an idle session of Cursor", "AP_Wait");
        var joined = join("dash", invitation("Guest") + " --client vscode").good();
        assertThat(joined.output()).contains("does not wake an idle session of VS Code", "AP_Read", "vscode/key");
    }

    @Test
    void aMachineWithAnUnknownClientGetsWhatToPaste() {
        programs = "/nothing";
        var before = state();
        var unknown = join("dash", invitation("Guest"));
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.output()).contains("no program that this script knows", "--client generic");
        assertThat(state()).isEqualTo(before);
        var shown =
                join("dash", invitation("Guest") + " --client generic").good().output();
        var pasted = Json.readObject(
                ("{" + shown.substring(shown.indexOf("  \"agent-workspace\""), shown.indexOf("}}") + 2) + "}")
                        .getBytes(StandardCharsets.UTF_8));
        assertThat(pasted.at("/agent-workspace/url").asString()).isEqualTo(TestServer.url() + "/mcp");
        var key = pasted.at("/agent-workspace/headers/X-Api-Key").asString();
        assertThat(ClientApi.MCP
                        .call(TestServer.url(), key, "US_Read", Json.object())
                        .ok()
                        .envelope()
                        .toString())
                .contains("Guest");
        join("dash", "--leave").good();
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void theDoctorSaysWhatToDo() {
        programs();
        assertThat(join("dash", "--doctor --client cursor,qwen").good().output())
                .contains("Cursor 9.8.7", "Qwen Code 9.8.7", "has not joined", "--client cursor <code>");
        join("dash", invitation("Guest") + " --client cursor").good();
        write(".cursor/mcp.json", "{}");
        write(".config/agent-workspace/cursor/hook.sh", "exit 0");
        rest.call(
                        "AK_Revoke",
                        "{'id':'%s'}"
                                .formatted(rest.call("AK_List")
                                        .ok()
                                        .at("/keys/0/id")
                                        .asString()))
                .ok();
        var sick = join("dash", "--doctor");
        assertThat(sick.code()).isEqualTo(1);
        assertThat(sick.output())
                .contains(
                        "refuses the key",
                        "no longer in " + home.resolve(".cursor/mcp.json"),
                        "is not that of the engine");
    }

    /** A checkout has the script, too, so a program can leave an engine that no longer runs. */
    @Test
    void theCommandLineExaminesAndLeaves() {
        programs();
        var engine = Repository.file("engine").toString();
        var before = state();
        assertThat(run(engine, "doctor", "--clients", TestServer.url(), "--client", "cursor")
                        .good()
                        .output())
                .contains("Cursor 9.8.7", "has not joined");
        join("dash", invitation("Guest") + " --client cursor").good();
        assertThat(run(engine, "doctor", "--clients", TestServer.url()).good().output())
                .contains("accepts the key", "a message does not wake");
        var down = run(engine, "doctor", "--clients", "http://127.0.0.1:1");
        assertThat(down.code()).isEqualTo(1);
        assertThat(down.output())
                .contains("it has joined the engine at " + TestServer.url() + ", not the one at http://127.0.0.1:1");
        assertThat(run(engine, "join", "http://127.0.0.1:1", "--leave").good().output())
                .contains("cursor has left");
        assertThat(state()).isEqualTo(before);
    }

    /** A new client is a folder and a line in the list. */
    @Test
    void eachFolderIsInTheListAndHasItsParts() {
        var root = Repository.file("clients");
        var folders = Repository.files("clients", "client.json").stream()
                .map(file -> root.relativize(file.getParent()).toString())
                .toList();
        assertThat(ClientFolder.all()).extracting(ClientFolder::word).containsExactlyInAnyOrderElementsOf(folders);
        for (var folder : ClientFolder.all()) {
            var part = Repository.text(root.resolve(folder.word()).resolve("join.sh"));
            var name = folder.word().replace('-', '_');
            assertThat(part).contains("CLIENTS=\"$CLIENTS " + folder.word() + "\"", name + "_client() {");
            assertThat(part.contains(name + "_hooks()"))
                    .isEqualTo(!folder.description().path("answers").isEmpty());
        }
    }

    /** What was tried of each client, as the page of clients shows it. Its versions are those that the tests run. */
    @Test
    void thePageOfClientsIsThatOfTheFolders() {
        var installed = Json.readObject(Repository.text(Repository.file("mcp-server/src/test/node/package.json"))
                        .getBytes(StandardCharsets.UTF_8))
                .path("devDependencies");
        var rows = ClientFolder.all().stream()
                .filter(folder -> folder.description().has("tried"))
                .map(folder -> {
                    var tried = folder.description().path("tried");
                    var program = folder.description().path("package").asString("");
                    if (!program.isEmpty()) {
                        assertThat(tried.path("version").asString())
                                .as(program)
                                .isEqualTo(installed.path(program).asString());
                    }
                    for (var test : tried.path("tests")) {
                        assertThat(Repository.sources()).anyMatch(source -> source.endsWith(test.asString() + ".java"));
                    }
                    return Stream.of("join", "hooks", "woken when idle", "identity", "leave")
                            .map(what -> tried.path(what).asString())
                            .collect(Collectors.joining(
                                    " | ",
                                    "| %s | %s, %s, %s | "
                                            .formatted(
                                                    folder.title(),
                                                    tried.path("version").asString(),
                                                    tried.path("date").asString(),
                                                    tried.path("by").asString()),
                                    " | %s |"
                                            .formatted(tried.path("tests")
                                                    .valueStream()
                                                    .map(test -> "`" + test.asString() + "`")
                                                    .collect(Collectors.joining(", ")))));
                })
                .collect(Collectors.joining("\n"));
        var page = Repository.file("docs/clients.md");
        var text = Repository.text(page);
        var head = text.substring(0, text.indexOf("\n| client |") + 1);
        var tail = text.substring(text.indexOf("\n\n", head.length()));
        Golden.check(
                page,
                head
                        + "| client | tried | join | hooks | woken when idle | identity | leave | shown by |\n|---|---|---|---|---|---|---|---|\n"
                        + rows + tail);
    }
}
