package io.agentworkspace.engine.mcp.content;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the instructions say to each client that connects, in both ways to connect. */
class CallerInstructionsTest {
    private static final Pattern TOOL = Pattern.compile("\\b(?:[A-Z]{2}_[A-Z]\\w+|[a-z]+_tools?)\\b");

    private final TestTenant tenant = new TestTenant();
    private final String owner = tenant.key(ClientApi.MCP, "maria", Role.MEMBER, List.of("*"));

    @BeforeEach
    void aTeam() {
        call(owner, "AP_Create", "{'vx':{'name':'Scout','description':'d'}}");
        call(owner, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}");
        call(owner, "DM_Create", "{'vx':{'name':'Den','description':'d'},'target':{'agent':'Scout'}}");
        call(owner, "ZN_Create", "{'vx':{'name':'Plans','description':'d'},'target':{'domain':'Den'}}");
        call(owner, "MB_Create", "{'vx':{'name':'field-notes','description':'d'}}");
    }

    private static void call(String key, String tool, String arguments) {
        ClientApi.MCP
                .call(TestServer.url(), key, tool, Json.readObject(json(arguments)))
                .ok();
    }

    private static byte[] json(String text) {
        return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the text of {@code initialize}, after a comparison with that of {@code server/discover}. */
    private static String instructions(String key, String path, String client) {
        var params = "{'protocolVersion':'2025-06-18','capabilities':{},'clientInfo':{'name':'%s','version':'1'}}"
                .formatted(client);
        var message = "{'jsonrpc':'2.0','id':'1','method':'initialize','params':%s}".formatted(params);
        var text = Json.readObject(ClientApi.post(TestServer.url() + path, key, json(message), Map.of())
                        .body())
                .at("/result/instructions")
                .asString();
        var discovered = new RawMcpClient(TestServer.url() + path, key)
                .modern("server/discover", "{}")
                .get("result");
        if (client.isEmpty()) {
            assertThat(discovered.get("instructions").asString()).isEqualTo(text);
        }
        assertThat(discovered.get("cacheScope").asString()).isEqualTo("private");
        return text;
    }

    @Test
    void banksWithAPermissionAreNamedFirst() {
        for (var name : List.of("aaa", "bbb", "zzz")) {
            call(owner, "MB_Create", "{'vx':{'name':'%s','access':'public'}}".formatted(name));
        }
        call(owner, "MB_Permissions", "{'target':{'bank':'zzz','agent':'Scout'},'vx':{'access':'read'}}");
        assertThat(instructions(bound("Scout"), "/mcp", "")).contains("Memory banks: 'zzz', ");
    }

    private String bound(String agent) {
        return ClientApi.MCP
                .call(
                        TestServer.url(),
                        owner,
                        "AK_Create",
                        Json.readObject(
                                json("{'name':'of %s','agent':'%s','capabilities':['*']}".formatted(agent, agent))))
                .ok()
                .text("/api_key");
    }

    @Test
    void anAgentIsToldWhoItIsAndWhatWaits() {
        var key = bound("Scout");
        assertThat(instructions(key, "/mcp", "any"))
                .startsWith(
                        "You are the agent 'Scout' of the user 'maria' in a workspace that AI agents share. No message waits for you.\n")
                .contains("Memory banks: 'field-notes'.")
                .contains("'Den / Plans'")
                .doesNotContain("AP_LogOn");
        call(bound("Ada"), "AP_Chat", "{'target':{'agent':'Scout'},'content':'hello'}");
        assertThat(instructions(key, "/mcp", "any"))
                .contains(" 1 message waits for you: call AP_Wait with wait_seconds: 0.");
        assertThat(instructions(bound("Ada"), "/mcp", "any"))
                .contains("'Ada'")
                .as("Ada is no member of Den")
                .doesNotContain("Den");
    }

    @Test
    void aUserIsToldHowToActAsAnAgent() {
        assertThat(instructions(owner, "/mcp", "any"))
                .startsWith("You are the user 'maria' in a workspace that AI agents share, and act as no agent.")
                .contains("Call AP_LogOn to act as an agent.")
                .contains("'Den / Plans'");
    }

    @Test
    void nobodyIsToldOfThingsOfOthers() {
        var other = tenant.key(ClientApi.MCP, "ben", Role.MEMBER, List.of("*"));
        var elsewhere = new TestTenant().key(ClientApi.MCP, "eve", Role.OWNER, List.of("*"));
        for (var key : List.of(other, elsewhere)) {
            assertThat(instructions(key, "/mcp", "any")).doesNotContain("Scout", "Den", "field-notes", "maria");
        }
    }

    @Test
    void onlyToolsThatTheCallerHasAreNamed() {
        var narrow = tenant.key(ClientApi.MCP, "nora", Role.MEMBER, List.of("bank:read"));
        assertThat(tools(instructions(narrow, "/mcp", "any"))).containsExactlyInAnyOrder("MB_Search", "find_tools");
        assertThat(instructions(narrow, "/mcp", "any")).doesNotContain("Zones");
        assertThat(tools(instructions(owner, "/mcp/x/webhook", "any"))).isEmpty();
        assertThat(tools(instructions(owner, "/mcp/x/discovery", "any"))).containsExactly("find_tools");
        assertThat(tools(instructions(owner, "/mcp/readonly", "any")))
                .doesNotContain("AP_Chat", "MB_Store", "AP_LogOn");
        assertThat(tools(instructions(owner, "/mcp/x/work", "any")))
                .contains("AP_Chat")
                .doesNotContain("AP_LogOn");
    }

    private static List<String> tools(String text) {
        return TOOL.matcher(text)
                .results()
                .map(found -> found.group())
                .distinct()
                .toList();
    }

    /** The order in which an agent needs them. */
    @Test
    void theySayFirstWhatIsNeededFirst() {
        call(owner, "MB_Permissions", "{'target':{'bank':'field-notes','agent':'Scout'},'vx':{'access':'append'}}");
        call(owner, "MB_Create", "{'vx':{'name':'aaa','access':'public'}}");
        call(owner, "AP_Chat", "{'target':{'agent':'Scout'},'content':'hello'}");
        for (var state : List.of("open", "done")) {
            call(owner, "TK_Create", "{'vx':{'name':'paint'},'target':{'domain':'Den'},'assignee':'Scout'}");
            call(owner, "TK_Update", "{'task':'%s','state':'%s'}".formatted(newestTask(), state));
        }
        var text = instructions(bound("Scout"), "/mcp/x/work", "any");
        assertThat(text)
                .containsSubsequence(
                        "You are the agent 'Scout' of the user 'maria'",
                        "1 message waits for you: call AP_Wait",
                        "Your tasks: 1 in 'Den'. TK_List with mine shows them.",
                        "If your user must decide or approve something, call AP_Ask",
                        "Before you edit files that another agent's session may edit, call TK_Reserve.",
                        "Call MB_Search before you begin",
                        "Memory banks: 'field-notes', 'aaa'.",
                        "Zones (domain / zone): 'Den / main', 'Den / Plans'.",
                        "For everything else call find_tools.")
                .doesNotContain("paint");
        assertThat(instructions(bound("Scout"), "/mcp/x/work", "codex-mcp-client"))
                .contains("AP_Ask", "TK_Reserve", "MB_Search", "find_tools");
    }

    private String newestTask() {
        return ClientApi.MCP
                .call(TestServer.url(), owner, "TK_List", Json.readObject(json("{'target':{'domain':'Den'}}")))
                .ok()
                .text("/profile/0/id");
    }

    @Test
    void theyFitEachClientWhateverTheNames() {
        IntStream.range(0, 12).forEach(number -> {
            var name = "%02d-".formatted(number) + "long name ".repeat(6).strip();
            call(owner, "MB_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(name));
            call(
                    owner,
                    "ZN_Create",
                    "{'vx':{'name':'%s','description':'d'},'target':{'domain':'Den'}}".formatted(name));
        });
        for (var key : List.of(owner, bound("Scout"))) {
            var whole = instructions(key, "/mcp", "claude-code");
            assertThat(whole).hasSizeLessThanOrEqualTo(2_000).contains("Memory banks: '00-long", " and more.");
            assertThat(whole.lines().findFirst().orElseThrow()).hasSizeLessThanOrEqualTo(250);
            assertThat(instructions(key, "/mcp", "codex-mcp-client"))
                    .hasSizeLessThanOrEqualTo(1_000)
                    .startsWith(whole.lines().findFirst().orElseThrow());
        }
    }

    @Test
    void atMostTenOfEachAreNamed() {
        IntStream.range(0, 12)
                .forEach(number ->
                        call(owner, "MB_Create", "{'vx':{'name':'b%d','description':'d'}}".formatted(number)));
        var banks = instructions(owner, "/mcp", "any")
                .lines()
                .filter(line -> line.contains("Memory banks: "))
                .findFirst()
                .orElseThrow();
        assertThat(banks.split("Memory banks: ")[1].split(", ")).hasSize(10);
        assertThat(banks).endsWith(" and more.");
    }
}
