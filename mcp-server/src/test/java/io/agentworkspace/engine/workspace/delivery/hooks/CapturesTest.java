package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/**
 * Joins a client, and gives the hooks that joining has written each event of its captures: once when a message waits, and once
 * when nothing is new. The answers are in golden files.
 */
@Tag("slow")
class CapturesTest {
    private final HookFixture it = new HookFixture();

    @TempDir
    Path home;

    private final String path = "%s:%s:/usr/bin:/bin".formatted(Node.client(".bin"), Node.module(".bin"));

    private String run(String command, Path input) {
        try {
            var output = home.resolve("output");
            var process = new ProcessBuilder("/bin/sh", "-c", command)
                    .directory(home.toFile())
                    .redirectInput(input.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            process.environment().clear();
            process.environment().putAll(Map.of("PATH", path, "HOME", home.toString(), "TMPDIR", home.toString()));
            var code = process.start().waitFor();
            var printed = Files.readString(output);
            assertThat(code).as(printed).isZero();
            return printed;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude-code     | .claude/settings.json                  | SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SessionEnd
            codex           | .codex/hooks.json                      | UserPromptSubmit PreToolUse PostToolUse Stop SessionEnd
            gemini-cli      | .gemini/settings.json                  | SessionStart BeforeAgent BeforeTool AfterTool AfterAgent SessionEnd
            cursor          | .cursor/hooks.json                     | sessionStart beforeSubmitPrompt preToolUse postToolUse stop sessionEnd
            copilot-cli     | .copilot/hooks/agent-workspace.json    | sessionStart userPromptSubmitted preToolUse postToolUse agentStop sessionEnd
            qwen-code       | .qwen/settings.json                    | SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SessionEnd
            antigravity-cli | .gemini/config/hooks.json              | PreInvocation PreInvocation Stop
            """)
    void theHooksAnswerWhatTheClientSends(String client, String hooks, String events) throws IOException {
        Node.require();
        assertThat(List.of(events.split(" ")))
                .containsAll(Repository.files("clients/%s/captures".formatted(client), ".json").stream()
                        .map(file -> file.getFileName().toString().replace(".json", ""))
                        .toList());
        prepare();
        var code = call(it.owner, "AK_Invite", "{'agent':'Ada'}").text("/invitation/code");
        run(
                "mkdir -p bin; printf '#!/bin/sh\\n' >bin/agy; chmod +x bin/agy; PATH=$PWD/bin:$PATH; curl -fsS %s/join | setsid sh -s -- %s --yes --client %s"
                        .formatted(TestServer.url(), code, client),
                Path.of("/dev/null"));
        var written = Json.readObject(Files.readAllBytes(home.resolve(hooks)));
        if (client.equals("claude-code")) {
            assertCursorsSessionsAreNotClaudes(written, events);
        }
        var answers = new ArrayList<String>();
        for (var event : events.split(" ")) {
            var capture = capture(client, event);
            var commands = commands(written, event);
            assertThat(commands).as("the hooks of " + event).hasSize(1);
            it.say("tide at six");
            var first = answer(commands.getFirst(), capture);
            var again = answer(commands.getFirst(), capture);
            answers.add(event + "\n" + first + (again.equals(first) ? "" : "\nand again: " + again) + "\n");
            call(it.ada, "AP_Wait", "{'wait_seconds':0}");
        }
        Golden.check(
                Repository.ROOT.resolve("mcp-server/src/test/resources/golden/hooks/" + client + "-captures.txt"),
                String.join("\n", answers));
        // Whoever sends such an event is Ada: the key is the agent's.
        assertThat(answers.getFirst()).contains("agent Ada");
        assertNothingIsSaidWithoutOurFiles(client, written, events);
    }

    /** Cursor runs the hooks of Claude Code, too. */
    private void assertCursorsSessionsAreNotClaudes(JsonNode written, String events) {
        for (var event : events.split(" ")) {
            var command = commands(written, event).getFirst();
            assertThat(run("export CURSOR_VERSION=3.20.17; " + command, capture("claude-code", event)))
                    .isEmpty();
            if (event.equals("UserPromptSubmit")) {
                assertThat(call(it.bert, "AP_Chat", "{'target':{'agent':'Ada'},'content':'x'}")
                                .text("/receipt/wakes"))
                        .isEqualTo("none");
            }
        }
        call(it.ada, "AP_Wait", "{'wait_seconds':0}");
    }

    /** The client's settings can be on a machine that has not joined, such as in a container: nothing may be blocked there. */
    private void assertNothingIsSaidWithoutOurFiles(String client, JsonNode written, String events) throws IOException {
        Files.move(home.resolve(".config/agent-workspace"), home.resolve("moved"));
        for (var event : events.split(" ")) {
            for (var command : commands(written, event)) {
                assertThat(run(command, capture(client, event))).isEmpty();
            }
        }
    }

    private static Path capture(String client, String event) {
        return Repository.file("clients/%s/captures/%s.json".formatted(client, event));
    }

    private void prepare() {
        call(it.owner, "DM_Create", "{'vx':{'name':'Yard','description':'d','access':'public'}}");
        for (var agent : List.of("Ada", "Bert")) {
            call(it.owner, "DM_Invite", "{'target':{'domain':'Yard','agent':'%s'}}".formatted(agent));
        }
        call(it.ada, "AP_Wait", "{'wait_seconds':0}");
        call(it.bert, "TK_Reserve", "{'target':{'domain':'Yard'},'paths':['src/*.java'],'reason':'renaming'}");
    }

    private String answer(String command, Path capture) {
        var printed = run(command, capture);
        assertThat(Json.readObject(printed.getBytes(StandardCharsets.UTF_8))).isNotNull();
        return printed.replaceAll("\\d{4}-\\d\\d-\\d\\d(T[0-9:.]+Z)?", "<time>");
    }

    /** Returns the commands of an event's hooks that answer. */
    private static List<String> commands(JsonNode hooks, String event) {
        return hooks.findValues(event).stream()
                .flatMap(of -> Stream.concat(of.findValues("command").stream(), of.findValues("bash").stream()))
                .map(JsonNode::asString)
                .filter(command -> command.contains("hook.sh") && !command.contains(" listen"))
                .collect(Collectors.toList());
    }
}
