package io.agentworkspace.engine.mcp.content;

import static org.assertj.core.api.Assertions.assertThat;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.McpResult;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What a client of the MCP endpoint receives and may send, on a running engine. */
class ToolResultTest {
    private static final Encoding ENCODING = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

    private final String key = new TestTenant().key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*"));

    private String sent(String method, String params, String... headers) {
        var body = "{'jsonrpc':'2.0','id':1,'method':'%s','params':%s}"
                .formatted(method, params)
                .replace('\'', '"');
        var answer = ClientApi.post(
                TestServer.url() + "/mcp",
                key,
                body.getBytes(StandardCharsets.UTF_8),
                headers.length == 0 ? Map.of() : Map.of(headers[0], headers[1]));
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private String call(String tool, String arguments) {
        return sent("tools/call", "{'name':'%s','arguments':%s}".formatted(tool, arguments));
    }

    private JsonNode result(String tool, String arguments) {
        var result = Json.readObject(call(tool, arguments).getBytes(StandardCharsets.UTF_8))
                .get("result");
        assertThat(result.at("/content/0/text").asString()).isEqualTo(Json.text(result.get("structuredContent")));
        return result;
    }

    private JsonNode body(String tool, String arguments) {
        return result(tool, arguments).get("structuredContent");
    }

    private List<String> listed(String... headers) {
        return Json.readObject(sent("tools/list", "{}", headers).getBytes(StandardCharsets.UTF_8))
                .at("/result/tools")
                .valueStream()
                .map(tool -> tool.path("name").asString())
                .toList();
    }

    @Test
    void anOrdinaryAnswerIsShort() {
        var created = call("AP_Create", "{'vx':{'name':'Scout','description':'Watches the tide tables.'}}");
        assertThat(ENCODING.countTokensOrdinary(created)).as(created).isLessThanOrEqualTo(220);
        call("AP_Create", "{'vx':{'name':'Planner','description':'Plans.'}}");
        call("AP_LogOn", "{'target':{'agent':'Scout'}}");
        var said = call("AP_Chat", "{'target':{'agent':'Planner'},'content':'Low water at 06:12 tomorrow.'}");
        assertThat(ENCODING.countTokensOrdinary(said)).as(said).isLessThanOrEqualTo(200);
    }

    /** Counts all that is sent; of a request of 2026-07-28, whose response names the server, too, the list. */
    @ParameterizedTest
    @CsvSource({"default, 9500", "work, 4500", "discovery, 450"})
    void aListOfToolsIsShort(String toolset, int most) {
        var modern = new RawMcpClient(TestServer.url() + "/mcp/x/" + toolset, key).modern("tools/list", "{}");
        for (var list :
                List.of(sent("tools/list", "{}", "X-MCP-Toolsets", toolset), Json.text(modern.at("/result/tools")))) {
            assertThat(ENCODING.countTokensOrdinary(list)).as(list).isLessThanOrEqualTo(most);
            assertThat(list).contains("_meta").doesNotContain("nextCursor");
        }
    }

    @Test
    void aModelReadsTheStatusThePayloadAndWhatIsNew() {
        var created = result("AP_Create", "{'vx':{'name':'Ada','description':'d'}}");
        assertThat(created.get("structuredContent").propertyNames()).containsExactly("status", "agent", "revision");
        assertThat(created.at(McpResult.HEADER + "/contract_version").asString())
                .isEqualTo("2026-05-25");

        var selected = body("AP_Select", "{'target':{'agent':'Ada'}}");
        assertThat(selected.at("/context/agent").asString()).isEqualTo("Ada");
        assertThat(body("AP_Select", "{'target':{'agent':'Ada'}}").has("context"))
                .isFalse();

        body("AP_Chat", "{'target':{'agent':'Ada'},'content':'hello'}");
        assertThat(body("AP_LogOn", "{'target':{'agent':'Ada'}}").path("unread").asLong())
                .isEqualTo(1);
        body("AP_Read", "{}");
        assertThat(body("US_Read", "{}").has("unread")).isFalse();

        var refused = result("AP_Read", "{'target':{'agent':'Nobody'}}");
        assertThat(refused.at("/isError").asBoolean()).isTrue();
        assertThat(refused.at("/structuredContent/status").propertyNames())
                .containsExactlyInAnyOrder("success", "note", "internal_code", "error");
    }

    @Test
    void theDefaultListIsTheWorkspaceAndTheDoorToEverythingElse() {
        var byDefault = listed();
        assertThat(byDefault)
                .startsWith("US_Read")
                .endsWith("find_tools", "describe_tool", "run_tool")
                .contains("AP_Chat", "DM_Invite", "ZN_Read", "MB_Store")
                .allMatch(name -> name.matches("(AP|DM|ZN|MB)_.*|US_Read|(find_tools|describe_tool|run_tool)"));
        assertThat(listed("X-MCP-Toolsets", "default")).isEqualTo(byDefault);
        assertThat(listed("X-MCP-Toolsets", "all"))
                .contains("AK_List", "AK_Create")
                .doesNotContain("find_tools");
        assertThat(listed("X-MCP-Toolsets", "readonly")).contains("AK_List").doesNotContain("AK_Create");

        assertThat(body("AK_List", "{}").at("/status/success").asBoolean()).isTrue();
        var chosen = sent("tools/call", "{'name':'AK_List','arguments':{}}", "X-MCP-Toolsets", "agent");
        assertThat(chosen).contains("-32602");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            AP_Create | {'name':'%s','description':'d','access':'public'}
            AP_Create | {'vx':'{\\"name\\":\\"%s\\",\\"description\\":\\"d\\"}'}
            AP_Create | {'vx':{'name':'%s'},'description':'d'}
            AP_Create | {'name':'%s','description':'d','profile':'p'}
            AP_Create | {'vx':{'name':'%s','description':'d'},'name':'%s'}
            DM_Create | {'name':'%s','description':'d','user':'ann'}
            MB_Create | {'bank':'%s'}""")
    void whatIsMeantForCertainIsAccepted(String tool, String arguments) {
        var named = arguments.replace("%s", "Thing");
        assertThat(body(tool, named).at("/status/success").asBoolean())
                .as(named)
                .isTrue();
    }

    @Test
    void targetsMayBeAtTheTopAndNumbersMayBeText() {
        body("AP_Create", "{'name':'Ada','description':'d'}");
        body("AP_LogOn", "{'agent':'Ada'}");
        assertThat(body("AP_Read", "{'target':'{\\\"agent\\\":\\\"Ada\\\"}'}")
                        .at("/profile/0/name")
                        .asString())
                .isEqualTo("Ada");
        assertThat(body("run_tool", "{'name':'AP_Read','arguments':'{\\\"agent\\\":\\\"Ada\\\"}'}")
                        .at("/profile/0/name")
                        .asString())
                .isEqualTo("Ada");
        var listed = body("AP_List", "{'agent':'ad','page':{'limit':'1'}}");
        assertThat(listed.at("/profile/0/name").asString()).isEqualTo("Ada");
        body("DM_Create", "{'name':'Dock','description':'d'}");
        assertThat(body("ZN_Enter", "{'domain':'Dock','zone':'main'}")
                        .at("/zone/name")
                        .asString())
                .isEqualTo("main");
        body("MB_Create", "{'name':'Notes'}");
        var stored =
                body("MB_Store", "{'bank':'Notes','name':'tide','tags':['sea'],'content':'06:12','if_revision':'0'}");
        assertThat(stored.at("/memory/name").asString()).isEqualTo("tide");
        assertThat(stored.at("/memory/tags/0").asString()).isEqualTo("sea");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            AP_Read   | {'agent':'Ada','target':{'agent':'Bea'}} | agent is not a field of this tool; it differs from target.agent; send only target.agent
            AP_Read   | {'agnet':'Ada'}                          | agnet is not a field of this tool; did you mean target?
            AP_Read   | {'agentName':'Ada'}                      | agentName is not a field of this tool; did you mean target.agent?
            AP_Chat   | {'message':'hi','content':'ho'}          | message is not a field of this tool; did you mean content?
            AP_Chat   | {'message':'hi'}                         | message is not a field of this tool; did you mean content?
            AP_Read   | {'limit':5}                              | limit is not a field of this tool; did you mean page.limit?
            AP_Read   | {'Target':{'agent':'Ada'}}               | Target is not a field of this tool; did you mean target?
            AP_Read   | {'target':{'Agent':'Ada'}}               | target.Agent is not a field of this tool; did you mean target.agent?
            AP_Create | {'Name':'Ada','description':'d'}         | Name is not a field of this tool; did you mean vx.name?
            AP_Create | {'title':'Ada','description':'d'}        | title is not a field of this tool; did you mean vx.name?
            AP_Chat   | {'to':'Ada','content':'ho'}              | to is not a field of this tool; did you mean target.agent?
            AP_Chat   | {'target':{'agent':'Ada','content':'x'}} | target.content is not a field of this tool; did you mean content?
            MB_Search | {'query':'tides'}                        | query is not a field of this tool; did you mean content?
            MB_Search | {'content':'tides','top_k':3}            | top_k is not a field of this tool; did you mean page.limit?
            DC_Submit | {'name':'a.md','content':'x'}            | content is not a field of this tool; did you mean text?
            AP_Read   | {'target':'Ada'}                         | target must be an object such as {"agent":"Ada"}
            AP_Create | {'vx':'Ada'}                             | vx must be an object such as {"name":"Ada"}
            AP_Read   | {'page':5}                               | page must be an object such as {"limit":5}
            MB_Store  | {'content':'x','tags':'sea'}             | vx.tags must be an array such as ["sea"]
            AP_Read   | {'page':{'limit':'many'}}                | page.limit must be an integer""")
    void whatIsUncertainIsRefusedInOneSentence(String tool, String arguments, String note) {
        var refused = body(tool, arguments);
        assertThat(refused.at("/status/success").asBoolean()).isFalse();
        assertThat(refused.at("/status/note").asString()).isEqualTo(note);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            run_tool      | {'tool':'AP_Read'}              | tool is not a field of run_tool; did you mean name?
            run_tool      | {'name':'AP_Read','args':{}}    | args is not a field of run_tool; did you mean arguments?
            run_tool      | {'name':'AP_Read','agent':'Al'} | agent is not a field of run_tool; put the arguments of the tool into 'arguments'
            find_tools    | {'q':'send a message'}          | q is not a field of find_tools; did you mean query?
            describe_tool | {'tool':'AP_Read'}              | tool is not a field of describe_tool; did you mean name?
            run_tool      | {'name':'ap_read'}              | there is no tool 'ap_read'; did you mean AP_Read?
            describe_tool | {'name':'create_agent'}         | there is no tool 'create_agent'; did you mean AP_Create?""")
    void wrongCallsOfDiscoveryToolsShowTheRightOnes(String tool, String arguments, String message) {
        assertThat(body(tool, arguments).at("/status/note").asString()).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {'content':'x','vx':{'name':'a','tags':'["sea","salt"]'},'target':{'bank':'tides'}}
            {'content':'x','tags':' [ "sea" ]','vx':{'name':'b'},'target':{'bank':'tides'}}
            {'content':'x','pinned':'true','vx':{'name':'c'},'target':{'bank':'tides'}}
            {'content':'x','pinned':'False','vx':{'name':'d'},'target':{'bank':'tides'}}""")
    void listsAndTruthValuesAsTextAreRead(String arguments) {
        body("MB_Create", "{'vx':{'name':'tides'}}");
        assertThat(body("MB_Store", arguments.replace("\"", "\\\"")).toString()).contains("\"success\":true");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {'content':'x','vx':{'tags':'[sea]'}} | vx.tags must be an array
            {'content':'x','vx':{'tags':'[1'}}    | vx.tags must be an array
            {'content':'x','pinned':'yes'}        | pinned must be true or false
            {'content':'x','pinned':1}            | pinned must be true or false""")
    void otherTextsAreNoListsAndNoTruthValues(String arguments, String note) {
        assertThat(body("MB_Store", arguments).at("/status/note").asString()).startsWith(note);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ap_read       | {}                              | there is no tool 'ap_read'; did you mean AP_Read?
            create_agent  | {}                              | there is no tool 'create_agent'; did you mean AP_Create?""")
    void wrongNamesShowTheRightOnes(String tool, String arguments, String message) {
        var refused = Json.readObject(call(tool, arguments).getBytes(StandardCharsets.UTF_8));
        assertThat(refused.at("/error/message").asString()).isEqualTo(message);
    }
}
