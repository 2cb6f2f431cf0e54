package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.McpResult;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** AP_Read and ZN_Read declare that they mark messages as read, and do so. Through a read-only connection they do not. */
class ReadOnlyTest {
    private static final String ADA = "{'target':{'context':'Ada'}}";

    private final String key = new TestTenant().key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*"));

    private JsonNode ask(String path, String method, String params) {
        var message = "{'jsonrpc':'2.0','id':'1','method':'%s','params':%s}".formatted(method, params);
        var answer = ClientApi.post(
                TestServer.url() + path, key, message.replace('\'', '"').getBytes(StandardCharsets.UTF_8), Map.of());
        return Json.readObject(answer.body()).get("result");
    }

    private JsonNode call(String path, String tool, String arguments) {
        var result = ask(path, "tools/call", "{'name':'%s','arguments':%s}".formatted(tool, arguments));
        assertThat(result.path("isError").asBoolean()).as(result.toString()).isFalse();
        return McpResult.envelope(result);
    }

    private boolean isReadOnly(String path, String tool) {
        return ask(path, "tools/list", "{}")
                .get("tools")
                .valueStream()
                .filter(listed -> listed.get("name").asString().equals(tool))
                .findFirst()
                .orElseThrow()
                .at("/annotations/readOnlyHint")
                .asBoolean();
    }

    @ParameterizedTest
    @ValueSource(strings = {"AP_Read", "ZN_Read"})
    void whatMarksSaysSo(String tool) {
        assertThat(isReadOnly("/mcp", tool)).isFalse();
        assertThat(isReadOnly("/mcp/readonly", tool)).isTrue();
        assertThat(isReadOnly("/mcp", "AP_List")).isTrue();
    }

    @Test
    void throughAReadOnlyConnectionNothingIsMarked() {
        call("/mcp", "AP_Create", "{'vx':{'name':'Ada','description':'d'}}");
        call("/mcp", "DM_Create", "{'vx':{'name':'Den','description':'d'},'target':{'agent':'Ada'}}");
        call("/mcp", "AP_LogOn", "{'target':{'agent':'Ada','context':'Ada'}}");
        call("/mcp", "AP_Chat", "{'target':{'agent':'Ada'},'content':'one'}");
        call("/mcp", "AP_Chat", "{'target':{'domain':'Den'},'content':'two'}");
        for (var path : List.of("/mcp/readonly", "/mcp")) {
            assertThat(unread(path)).as(path).isEqualTo(2);
            assertThat(call(path, "ZN_Read", "{'target':{'domain':'Den','context':'Ada'}}")
                            .at("/content/0/content")
                            .asString())
                    .isEqualTo("two");
            assertThat(call(path, "AP_Read", ADA).at("/content/0/content").asString())
                    .isEqualTo("one");
        }
        assertThat(unread("/mcp")).isZero();
    }

    private long unread(String path) {
        return call(path, "US_Read", ADA).at("/header/unread").asLong();
    }

    private Reply rest(String tool, String arguments, String value) {
        return restAt(ClientApi.path(tool), arguments, value);
    }

    private Reply restAt(String path, String arguments, String value) {
        var body = arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        var response = ClientApi.post(TestServer.url() + path, key, body, Map.of("X-MCP-Readonly", value));
        return new Reply(Json.readObject(response.body()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "TRUE", "1", "yes", "flase", "false, true"})
    void aReadOnlyRestRequestChangesNothing(String value) {
        var create = "{'vx':{'name':'Never','description':'d'}}";
        var note = "AP_Create changes something: leave out the header X-MCP-Readonly";
        rest("AP_Create", create, value).refused(2003, note);
        var refused = restAt("/api/mcp/tools/AP_Create/invoke", create, value);
        assertThat(refused.text("/detail")).isEqualTo(note);
        rest("AP_List", "{}", value).ok();
        assertThat(rest("AP_List", "{}", "false").text("/content")).doesNotContain("Never");
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "FALSE", ""})
    void otherwiseARestRequestMayChangeThings(String value) {
        rest("AP_Create", "{'vx':{'name':'Made','description':'d'}}", value).ok();
    }

    @Test
    void aReadOnlyRestRequestMarksNothing() {
        rest("AP_Create", "{'vx':{'name':'Ada','description':'d'}}", "false").ok();
        rest("AP_LogOn", "{'target':{'agent':'Ada','context':'Ada'}}", "false").ok();
        rest("AP_Chat", "{'target':{'agent':'Ada'},'content':'one'}", "false").ok();
        for (var value : List.of("true", "false")) {
            assertThat(rest("US_Read", ADA, value).number("/header/unread")).isEqualTo(1);
            assertThat(rest("AP_Read", ADA, value).ok().text("/content/0/content"))
                    .isEqualTo("one");
        }
        assertThat(rest("US_Read", ADA, "false").number("/header/unread")).isZero();
    }
}
