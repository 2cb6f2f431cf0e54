package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** An engine as the upstream server of another: the tenant of one is a client of the other's. */
@Tag("slow")
class EngineUpstreamTest {
    /** Their answers are about the calls themselves, so they change from call to call. */
    private static final Set<String> CHANGING =
            Set.of("AC_Audit", "AC_Read", "AK_Usage", "AK_List", "AP_Wait", "US_List");

    /** Tools that need arguments refuse the call in the same words; the others answer the same. */
    @Test
    void eachToolGivesWhatItGivesDirectlyInBothLanes() {
        var behind = new TestTenant().key(ClientApi.MCP, "behind", Role.OWNER, List.of("*"));
        var front = new TestTenant().key(ClientApi.MCP, "front", Role.OWNER, List.of("*"));
        var root = TestCaller.of(ClientApi.MCP, front);
        var url = TestServer.url() + "/mcp/x/all";
        var made = root.call(
                        "UP_Install",
                        "{'name':'eng','url':'%s','approve':'all','credential':{'kind':'header','header':'X-Api-Key','value':'%s'}}"
                                .formatted(url, behind))
                .ok();
        assertThat(made.text("/upstream/last_error")).isEmpty();
        assertThat(made.text("/upstream/era")).isEqualTo("2026-07-28");
        root.call("UP_Approve", "{'name':'eng'}").ok();

        var direct = new RawMcpClient(url, behind);
        var gateway = new RawMcpClient(TestServer.url() + "/mcp", front);
        var session = gateway.session("2025-11-25", "{}");
        TestCaller.of(ClientApi.MCP, behind)
                .call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}")
                .ok();
        var names = names(direct, "");
        assertThat(names).hasSizeGreaterThan(100);
        assertThat(names(new RawMcpClient(TestServer.url() + "/mcp/x/eng", front), "eng_"))
                .isEqualTo(names);
        var different = new TreeSet<String>();
        for (var name : names) {
            var expected = answer(direct.modern("tools/call", call(name)));
            var call = call("eng_" + name);
            for (var through :
                    List.of(answer(gateway.modern("tools/call", call)), answer(session.call("tools/call", call)))) {
                assertThat(through.propertyNames()).as(name).isEqualTo(expected.propertyNames());
                if (!timeless(through).equals(timeless(expected))) {
                    different.add(name);
                }
            }
        }
        assertThat(CHANGING).containsAll(different);
    }

    private static String call(String name) {
        return "{'name':'%s','arguments':{}}".formatted(name);
    }

    private static JsonNode answer(JsonNode response) {
        return response.at("/result/structuredContent");
    }

    private static String timeless(JsonNode answer) {
        return answer.toString()
                .replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "#")
                .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|bank-[0-9a-z]{8}", "#");
    }

    /** Returns the names of all tools, without this beginning; AP_Wait would wait. */
    private static Set<String> names(RawMcpClient client, String before) {
        var names = new TreeSet<String>();
        var params = "{}";
        while (!params.isEmpty()) {
            var page = client.modern("tools/list", params).path("result");
            page.path("tools")
                    .forEach(tool -> names.add(tool.path("name").asString().substring(before.length())));
            params = page.has("nextCursor")
                    ? "{'cursor':'%s'}".formatted(page.path("nextCursor").asString())
                    : "";
        }
        names.remove("AP_Wait");
        return names;
    }
}
