package io.agentworkspace.engine.identity.keys;

import static io.agentworkspace.engine.testing.KeyFixture.call;
import static io.agentworkspace.engine.testing.KeyFixture.done;
import static io.agentworkspace.engine.testing.KeyFixture.listed;
import static io.agentworkspace.engine.testing.KeyFixture.make;
import static io.agentworkspace.engine.testing.KeyFixture.route;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.Refusal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key that is limited to some tools, or requires confirmation by a person. */
class KeyToolsetTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("ann", Role.MEMBER, "*");
    private final Made limited = make(root, "'capabilities':['*'],'toolset':['bank','zone']");

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void itHoldsThroughEveryDoor(CommandAddress way) {
        assertThat(way.call(limited.key(), "MB_List", "{}").error()).isEmpty();
        var got = way.call(limited.key(), "AP_List", "{}");
        Refusal.is("not_permitted", way, got, "AP_List");
        assertThat(got.note()).contains("toolset bank, zone", "'agent'", "AK_Update");
    }

    @Test
    void itNarrowsWhatIsListedAndHeadersNarrowItFurther() {
        assertThat(listed(limited)).isNotEmpty().allMatch(name -> name.matches("(MB|ZN)_.*"));
        assertThat(listed(limited, "X-MCP-Toolsets", "bank,agent"))
                .isNotEmpty()
                .allMatch(name -> name.startsWith("MB_"));
        assertThat(listed(limited, "X-MCP-Tools", "AP_List,ZN_List")).containsExactly("ZN_List");
        var rest = route(limited, "GET", "/api/mcp/tools", "");
        assertThat(rest.json()
                        .path("tools")
                        .valueStream()
                        .map(tool -> tool.path("family").asString(""))
                        .filter(family -> !family.isEmpty())) // find_tools and its like have none.
                .containsOnly("bank", "zone");
        assertThat(route(limited, "GET", "/api/mcp/tools/AP_List", "").note()).contains("toolset bank, zone");
        assertThat(route(limited, "GET", "/api/keys", "").status()).isEqualTo(403);
    }

    @Test
    void discoveryShowsAFewToolsOverThoseOfTheToolset() {
        var finder = make(root, "'capabilities':['*'],'toolset':['discovery','bank']");
        assertThat(listed(finder)).containsExactly("find_tools", "describe_tool", "run_tool", "run_plan");
        assertThat(listed(finder, "X-MCP-Toolsets", "bank")).contains("MB_List");
        var found = route(finder, "POST", "/mcp", """
                {'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'find_tools','arguments':{'query':''}}}""");
        assertThat(found.text()).contains("MB_List").doesNotContain("AP_List");
        var all = make(root, "'capabilities':['*'],'toolset':['discovery']");
        assertThat(listed(all)).hasSize(4);
        done(call(all, "AP_List", "{}"));
    }

    @Test
    void aToolsetIsChangedWithAkUpdate() {
        done(call(root, "AK_Update", "{'id':'%s','toolset':['agent']}".formatted(limited.id())));
        org.awaitility.Awaitility.await()
                .until(() -> call(limited, "AP_List", "{}").error().isEmpty());
        assertThat(call(limited, "MB_List", "{}").error()).isEqualTo("not_permitted");
    }

    @Test
    void aKeyThatSaysSoHasThePersonAsked() {
        var careful = make(root, "'capabilities':['*'],'confirm_destructive':true");
        done(call(root, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}"));
        var destroy = """
                {'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'AP_Destroy','arguments':{'target':{'agent':'Ada'}},
                 '_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',
                          'io.modelcontextprotocol/clientCapabilities':%s}}}""";
        var headers =
                new String[] {"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "AP_Destroy"
                };
        var question = route(careful, "POST", "/mcp", destroy.formatted("{'elicitation':{}}"), headers);
        assertThat(question.json().at("/result/resultType").asString()).isEqualTo("input_required");
        assertThat(question.json()
                        .at("/result/inputRequests/confirm/params/message")
                        .asString())
                .contains("Ada");
        var unable = route(careful, "POST", "/mcp", destroy.formatted("{}"), headers);
        assertThat(unable.json().at("/error/code").asInt()).isEqualTo(-32021);
        done(call(root, "AP_Read", "{'target':{'agent':'Ada'}}"));
        assertThat(route(root, "POST", "/mcp", destroy.formatted("{}"), headers)
                        .json()
                        .at("/result/isError")
                        .asBoolean())
                .isFalse();
    }
}
