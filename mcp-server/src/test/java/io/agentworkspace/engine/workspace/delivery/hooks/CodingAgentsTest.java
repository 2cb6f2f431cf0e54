package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The real coding agents, with the plugin and the extension of this repository, and a scripted model. What the model is
 * shown is compared with golden files.
 */
@Tag("slow")
class CodingAgentsTest {
    private static final String PROMPT = "When does the deploy password rotate?";
    private static final String DONE = "done";

    private static final Pattern OURS = Pattern.compile(
            "for the agent Ada|You are the agent|No message waits|MB_Search before|Memories that may|Notes/|from Bert");

    private final HookFixture it = new HookFixture();

    @TempDir(cleanup = CleanupMode.NEVER)
    Path home;

    /** A turn in which messages arrive at each moment: before it, before a tool has run, and before its end. */
    private UnaryOperator<String> turn() {
        call(it.owner, "MB_Create", "{'vx':{'name':'Notes','access':'private'}}");
        call(it.owner, "MB_Permissions", "{'target':{'bank':'Notes','agent':'Ada'},'vx':{'access':'read'}}");
        call(
                it.owner,
                "MB_Store",
                "{'target':{'bank':'Notes'},'vx':{'name':'deploy'},'content':'The deploy password rotates on Fridays.'}");
        await("the index")
                .until(() -> !call(it.ada, "MB_Search", Json.text(Json.object().put("content", PROMPT)))
                        .at("/content")
                        .isEmpty());
        it.say("one");
        var requests = new AtomicInteger();
        return _ -> switch (requests.getAndIncrement()) {
            case 0 -> {
                it.say("two");
                yield ScriptedModel.TOOL;
            }
            case 1 -> {
                it.say("three");
                yield DONE;
            }
            default -> {
                it.say("four"); // The turn ends, although this waits.
                yield DONE;
            }
        };
    }

    private void checkTurn(String client, ScriptedModel model) {
        checkTurn(client, model, 3);
    }

    /** @param requests how often the model is asked: a program that ends with its turn is not shown what came at its end */
    private void checkTurn(String client, ScriptedModel model, int requests) {
        var inputs = model.inputs();
        var lines = inputs.stream().map(CodingAgentsTest::ours).toList();
        Golden.check(
                Repository.ROOT.resolve("mcp-server/src/test/resources/golden/hooks/" + client + ".txt"),
                String.join("\n\n=== the next request ===\n\n", lines) + "\n");
        assertThat(inputs).hasSize(requests);
        assertThat(call(it.ada, "AP_List", "{}").number("/header/unread")).isEqualTo(requests + 1);
    }

    /** Returns the lines that come from us, and the client's frame around them. */
    private static String ours(String input) {
        return input.lines()
                .filter(line -> OURS.matcher(line).find())
                .map(line -> line.replaceAll("\\d{4}-\\d\\d-\\d\\d", "<date>")
                        .replaceAll("hook_run_id=\"[^\"]*\"", "hook_run_id=<id>"))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void claudeCodeHearsDuringATurn() {
        try (var model = new ScriptedModel(turn())) {
            var agent = new CodingAgent(home).withoutListener().claude(model, TestServer.url(), it.ada);
            agent.run("claude", "-p", PROMPT, "--allowedTools=Bash");
            checkTurn("claude-code", model);
        }
    }

    @Test
    void codexHearsDuringATurn() {
        try (var model = new ScriptedModel(turn())) {
            var agent = new CodingAgent(home).withoutListener().codex(model, "gpt-5.5", TestServer.url(), it.ada);
            agent.run("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT);
            checkTurn("codex", model);
        }
    }

    @Test
    void geminiHearsDuringATurn() {
        try (var model = new ScriptedModel(turn())) {
            var agent = new CodingAgent(home).gemini(model, TestServer.url(), it.ada);
            agent.run("gemini", "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "--skip-trust", "-p", PROMPT);
            checkTurn("gemini-cli", model);
        }
    }

    /** Those without a plugin of ours, with what the line of an invitation installs. They leave the home folder as it was. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            copilot-cli | 3 | copilot --allow-all-tools -p
            qwen-code   | 3 | qwen --yolo -p
            opencode    | 2 | opencode run
            """)
    void aClientThatJoinedHearsDuringATurn(String client, int requests, String command) throws IOException {
        try (var model = new ScriptedModel(turn())) {
            var agent = new CodingAgent(home).withoutListener().other(model);
            var code = call(it.owner, "AK_Invite", "{'agent':'Ada'}").text("/invitation/code");
            agent.join(TestServer.url(), code + " --yes --client " + client);
            agent.run(Stream.concat(Stream.of(command.split(" ")), Stream.of(PROMPT))
                    .toArray(String[]::new));
            checkTurn(client, model, requests);
            assertThat(model.system() + model.inputs().getFirst()).contains("You are the agent Ada of maria");
            agent.join(TestServer.url(), "--leave");
            try (var files = Files.walk(home)) {
                assertThat(files).noneMatch(file -> file.toString().contains("agent-workspace"));
            }
        }
    }

    /** Its hooks are a plugin of ours, so no other test shows that it keeps to a reservation. */
    @Test
    void opencodeDoesNotWriteAReservedFile() throws IOException {
        call(it.owner, "DM_Create", "{'vx':{'name':'Yard','description':'d','access':'public'}}");
        for (var agent : List.of("Ada", "Bert")) {
            call(it.owner, "DM_Invite", "{'target':{'domain':'Yard','agent':'%s'}}".formatted(agent));
        }
        call(it.bert, "TK_Reserve", "{'target':{'domain':'Yard'},'paths':['src/*.java'],'reason':'renaming'}");
        var folder = Files.createDirectories(home.resolve("project/src"));
        var file = folder.resolve("A.java");
        var requests = new AtomicInteger();
        try (var model = new ScriptedModel(_ -> requests.getAndIncrement() > 0
                ? DONE
                : ScriptedModel.tool("write", "{'filePath':'%s','content':'x'}".formatted(file)))) {
            // It starts in a folder of the repository.
            var agent = new CodingAgent(home, folder).withoutListener().other(model);
            agent.run("/bin/sh", "-c", "git init -q ..");
            var code = call(it.owner, "AK_Invite", "{'agent':'Ada'}").text("/invitation/code");
            agent.join(TestServer.url(), code + " --yes --client opencode");
            agent.run("opencode", "run", PROMPT);
            assertThat(model.inputs().get(1)).contains("Bert has reserved");
            assertThat(file).doesNotExist();
        }
    }

    /** What a sender learns: "hook" while a turn of Ada runs, which hears of the message, else "none". */
    private String wakes() {
        return call(it.bert, "AP_Chat", "{'target':{'agent':'Ada'},'content':'x'}")
                .text("/receipt/wakes");
    }

    @Test
    void codexReportsThatATurnWasInterruptedAndThatItEnds() {
        for (var agent : List.of("Ada", "Bert")) {
            call(
                    it.owner,
                    "AP_Modify",
                    "{'target':{'agent':'%s'},'guard':{'hops':64,'per_minute':600}}".formatted(agent));
        }
        var reply = new CompletableFuture<String>();
        try (var model = new ScriptedModel(_ -> reply.join())) {
            var agent = new CodingAgent(home).withoutListener().codex(model, "gpt-6-sol", TestServer.url(), it.ada);
            try (var terminal = agent.terminal("codex", "--dangerously-bypass-hook-trust", "hello")) {
                await("a turn").until(() -> !model.inputs().isEmpty() && wakes().equals("hook"));
                terminal.type("\u001b");
                await("the interrupt").until(() -> wakes().equals("none"));
                await("the end").until(() -> {
                    terminal.type("\u0003");
                    return !isOnline();
                });
            } finally {
                reply.complete(DONE);
            }
        }
    }

    private boolean isOnline() {
        return call(it.bert, "AP_Read", "{'target':{'agent':'Ada'}}")
                .at("/profile/0/online")
                .asBoolean();
    }

    /** As docs/joining.md describes it: the sub-agent has a connection of its own, and its parent keeps its own, too. */
    @Test
    void aSubAgentOfClaudeCodeSpeaksAsItself() throws IOException {
        var id = ApiKey.parse(it.ada).id();
        var chat = "{'target':{'agent':'Bert'},'content':'%s'}";
        var ended = new AtomicBoolean(); // Its parent is told, perhaps in several requests.
        // The sub-agent works in the background, so its requests and its parent's have no order.
        try (var model = new ScriptedModel(shown -> shown.contains("<task-notification>")
                        && ended.compareAndSet(false, true)
                ? ScriptedModel.tool("mcp__plugin_workspace_aw__AP_Chat", chat.formatted("my own"))
                : shown.contains(PROMPT) && !ended.get()
                        ? ScriptedModel.tool(
                                "Agent", "{'subagent_type':'explore','description':'look','prompt':'look around'}")
                        : shown.contains("look around")
                                ? ScriptedModel.tool("mcp__explore__AP_Chat", chat.formatted("found it"))
                                : DONE)) {
            var agent = new CodingAgent(home).withoutListener().claude(model, TestServer.url(), it.ada);
            var code = call(it.ada, "AK_Invite", "{'agent':'explore','parent':'%s'}".formatted(id))
                    .text("/invitation/code");
            agent.join(TestServer.url(), code + " --client generic");
            var page = Repository.text(Repository.file("docs/joining.md"));
            var file = page.substring(page.indexOf("---\nname: explore"));
            Files.createDirectories(home.resolve(".claude/agents"));
            Files.writeString(
                    home.resolve(".claude/agents/explore.md"),
                    file.substring(0, file.indexOf("```")).replace("http://127.0.0.1:8080", TestServer.url()));
            agent.run(
                    "claude",
                    "-p",
                    PROMPT,
                    "--allowedTools=Agent,mcp__explore__AP_Chat,mcp__plugin_workspace_aw__AP_Chat");
            var said = call(it.bert, "AP_Read", "{}");
            assertThat(said.texts("/content", "from"))
                    .as(model.inputs().toString())
                    .containsExactlyInAnyOrder("Ada", "Ada/explore");
            agent.join(TestServer.url(), "--leave --client generic");
        }
    }

    @Test
    void anEngineThatIsDownHarmsNothing() {
        try (var model = new ScriptedModel(_ -> DONE)) {
            var agent = new CodingAgent(home).claude(model, "http://127.0.0.1:1", it.ada);
            assertThat(agent.run("claude", "-p", PROMPT)).contains(DONE);
            assertThat(model.inputs()).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            claude-code | .claude/settings.json .claude.json .claude/skills                    | claude -p hello --allowedTools=Bash
            codex       | .codex/config.toml .codex/hooks.json .codex/skills/workspace         | codex exec --skip-git-repo-check --dangerously-bypass-hook-trust -c model="gpt-5.5" -c model_provider="stub" -c model_providers.stub={name="stub",base_url="%s/v1",env_key="STUB_KEY",wire_api="responses",supports_websockets=false} hello
            gemini-cli  | .gemini/settings.json .gemini/skills                                 | gemini -m gemini-2.5-pro --approval-mode yolo --skip-trust -p hello
            """)
    void fromOneLineInAnEmptyHomeToTheFirstMessageThatIsHeard(String client, String files, String command)
            throws IOException {
        var code = call(it.owner, "AK_Invite", "{'agent':'Cleo'}").text("/invitation/code");
        var requests = new AtomicInteger();
        try (var model = new ScriptedModel(_ -> {
            if (requests.getAndIncrement() > 0) {
                return DONE;
            }
            call(it.bert, "AP_Chat", "{'target':{'agent':'Cleo'},'content':'tide at six'}");
            return ScriptedModel.TOOL;
        })) {
            var agent = new CodingAgent(home).withoutListener().withModel(model);
            if (client.equals("gemini-cli")) {
                agent.signInToGemini();
            }
            var start = System.nanoTime();
            agent.join(TestServer.url(), code + " --yes --client " + client);
            var joined = System.nanoTime();
            agent.run(command.formatted(model.url()).split(" "));
            System.out.printf(
                    "%s: joined after %,d ms, its first message was heard %,d ms later%n",
                    client, (joined - start) / 1_000_000, (System.nanoTime() - joined) / 1_000_000);
            assertThat(model.inputs())
                    .anyMatch(input -> input.contains("1 new message waits for the agent Cleo: 1 from Bert"));
            assertThat(model.inputs().getFirst()).contains("You are the agent Cleo");

            assertThat(agent.join(TestServer.url(), "--leave")).contains(client + " has left");
            for (var file : (files + " .config").split(" ")) {
                var left = home.resolve(file);
                assertThat(Files.notExists(left) || !Files.readString(left).contains("agent-workspace"))
                        .as(file)
                        .isTrue();
            }
        }
    }
}
