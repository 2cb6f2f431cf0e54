package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What each client is answered to each event that its hooks send, as golden files: when a message waits, and when nothing is
 * new. {@code CodingAgentsTest} shows what the programs make of it.
 */
class HookAnswersTest {
    private static final String EDIT =
            "'cwd':'/home/u/boat','tool_name':'Edit','tool_input':{'file_path':'/home/u/boat/src/A.java'}";
    private static final String PATCH =
            "'cwd':'/home/u/boat','tool_name':'apply_patch','tool_input':{'patch':'*** Update File: src/A.java'}";

    /** The events of each client, with what they have besides. */
    private static final Map<String, List<String>> EVENTS = Map.of(
            "claude-code",
            List.of(
                    "SessionStart|'source':'startup'",
                    "UserPromptSubmit|'prompt':'When does the deploy password rotate?'",
                    "PreToolUse|" + EDIT,
                    "PostToolUse|'tool_name':'Bash'",
                    "Stop|'stop_hook_active':'false'",
                    "PreCompact|'trigger':'auto'",
                    "Notification|'notification_type':'idle_prompt'",
                    "SessionEnd|'reason':'exit'"),
            "codex",
            List.of(
                    "SessionStart|'source':'startup'",
                    "UserPromptSubmit|'prompt':'When does the deploy password rotate?'",
                    "PreToolUse|" + PATCH,
                    "PostToolUse|'tool_name':'exec_command'",
                    "Stop|'stop_hook_active':'false'",
                    "Interrupt|'reason':'user'",
                    "SessionEnd|'reason':'exit'"),
            "gemini-cli",
            List.of(
                    "SessionStart|'source':'startup'",
                    "BeforeAgent|'prompt':'When does the deploy password rotate?'",
                    "BeforeTool|" + EDIT.replace("Edit", "write_file"),
                    "AfterTool|'tool_name':'run_shell_command'",
                    "AfterAgent|'stop_hook_active':'false'",
                    "SessionEnd|'reason':'exit'"));

    private final HookFixture it = new HookFixture();

    private void prepare() {
        call(it.owner, "MB_Create", "{'vx':{'name':'Notes','access':'private'}}");
        call(it.owner, "MB_Permissions", "{'target':{'bank':'Notes','agent':'Ada'},'vx':{'access':'read'}}");
        call(
                it.owner,
                "MB_Store",
                "{'target':{'bank':'Notes'},'pinned':true,'vx':{'name':'deploy'},'content':'The deploy password rotates on Fridays.'}");
        call(it.owner, "DM_Create", "{'vx':{'name':'Yard','description':'d','access':'public'}}");
        for (var agent : List.of("Ada", "Bert")) {
            call(it.owner, "DM_Invite", "{'target':{'domain':'Yard','agent':'%s'}}".formatted(agent));
        }
        call(it.owner, "TK_Create", "{'target':{'domain':'Yard'},'vx':{'name':'caulk'}}");
        call(it.ada, "AP_Wait", "{'wait_seconds':0}");
        call(it.bert, "TK_Reserve", "{'target':{'domain':'Yard'},'paths':['src/*.java'],'reason':'renaming'}");
    }

    private String answer(String client, String event) {
        var parts = event.split("\\|", 2);
        var body = "{'hook_event_name':'%s','session_id':'s',%s}".formatted(parts[0], parts[1]);
        return Json.text(it.hook(client, body)).replaceAll("\\d{4}-\\d\\d-\\d\\d(T[0-9:.]+Z)?", "<time>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-code", "codex", "gemini-cli"})
    void eachEventIsAnsweredAsItsGoldenFileSays(String client) {
        prepare();
        var answers = new LinkedHashMap<String, String>();
        for (var event : EVENTS.getOrDefault(client, List.of())) {
            it.say("tide at six");
            var first = answer(client, event);
            var again = answer(client, event);
            answers.put(event.split("\\|")[0], first + (again.equals(first) ? "" : "\nand again: " + again));
            call(it.ada, "AP_Wait", "{'wait_seconds':0}");
        }
        Golden.check(
                Repository.ROOT.resolve("mcp-server/src/test/resources/golden/hooks/" + client + "-events.txt"),
                answers.entrySet().stream()
                        .map(each -> each.getKey() + "\n" + each.getValue() + "\n")
                        .collect(Collectors.joining("\n")));
    }

    /** No event that a client's hooks send lacks its golden file. */
    @Test
    void eachEventOfThePluginsAndOfJoiningIsHere() {
        for (var hooks : Map.of(
                        "claude-code", "workspace/hooks/claude.json",
                        "codex", "workspace/hooks/codex.json",
                        "gemini-cli", "gemini-cli/extension/hooks/hooks.json")
                .entrySet()) {
            var file = Repository.file("clients/" + hooks.getValue());
            assertThat(names(hooks.getKey()))
                    .containsExactlyInAnyOrderElementsOf(
                            Json.readObject(Repository.text(file).getBytes(java.nio.charset.StandardCharsets.UTF_8))
                                    .path("hooks")
                                    .propertyNames());
            assertThat(joining(hooks.getKey())).containsExactlyInAnyOrderElementsOf(names(hooks.getKey()));
        }
    }

    private static List<String> names(String client) {
        return EVENTS.getOrDefault(client, List.of()).stream()
                .map(event -> event.split("\\|")[0])
                .toList();
    }

    /** Returns the events that the join script adds hooks for: named in its lines, or in the list of a loop. */
    private static List<String> joining(String client) {
        var part = Repository.text(Repository.file("clients/" + client + "/join.sh"));
        return Pattern.compile("for event in ([A-Za-z ]+);|'hooks ([A-Za-z]+) \\[]'")
                .matcher(part)
                .results()
                .flatMap(found ->
                        List.of((found.group(1) == null ? found.group(2) : found.group(1)).split(" ")).stream())
                .distinct()
                .toList();
    }
}
