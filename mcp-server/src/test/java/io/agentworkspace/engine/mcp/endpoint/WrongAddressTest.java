package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.wire.SendsAnything;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients with a wrong address or a wrong credential are told, in the form that they understand. */
class WrongAddressTest {
    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":\"seven\",\"method\":\"tools/list\"}";
    private static final String RIGHT = "send POST /mcp";

    private final HttpClient http = HttpClient.newHttpClient();
    private final String key = new TestTenant().key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*"));

    private HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + path))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body));
        return http.send((headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/MCP",
                "/Mcp/x/agent",
                "/sse",
                "/SSE/",
                "/mcp/sse",
                "/mcp/x",
                "//mcp",
                "//mcp//x/agent",
                "/mcp//",
                "/api//mcp",
                "/api/mcp",
                "/v1/mcp",
                "/messages",
                "/",
                "/foo"
            })
    @SendsAnything
    void aMessageAtAWrongAddressIsAnsweredAsAMessage(String path) throws Exception {
        var response = send("POST", path, CALL, "X-Api-Key", key);
        assertThat(response.statusCode()).isEqualTo(404);
        var message = RawMcpClient.json(response);
        assertThat(message.path("id").asString()).isEqualTo("seven");
        assertThat(message.at("/error/message").asString()).contains(RIGHT);
        var bare = RawMcpClient.json(send("POST", path, CALL));
        assertThat(bare.path("id").asString()).isEqualTo("seven");
        if (!path.equals("/foo")) {
            assertThat(bare.at("/error/message").asString()).contains(RIGHT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/MCP", "/sse", "/api/mcp", "//mcp"})
    @SendsAnything
    void anyOtherRequestThereNamesTheRightAddress(String path) throws Exception {
        for (var headers : List.of(new String[] {"X-Api-Key", key}, new String[] {"Accept", "text/event-stream"})) {
            var response = send("GET", path, "", headers);
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(RawMcpClient.json(response).path("detail").asString()).contains(RIGHT);
        }
    }

    @Test
    @SendsAnything
    void otherUnknownAddressesAreAsBefore() throws Exception {
        var response = send("POST", "/api/nothing", "{\"a\":1}", "X-Api-Key", key);
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).doesNotContain("/mcp").doesNotContain("jsonrpc");
    }

    @Test
    @SendsAnything
    void aRefusedCredentialHasTheIdOfItsRequest() throws Exception {
        for (var body : List.of(CALL, "\uFEFF" + CALL)) {
            var wrong = send("POST", "/mcp", body, "X-Api-Key", "ek_nobody");
            assertThat(wrong.statusCode()).isEqualTo(401);
            assertThat(RawMcpClient.json(wrong).path("id").asString()).isEqualTo("seven");
            var none = send("POST", "/mcp", body);
            assertThat(none.statusCode()).isEqualTo(401);
            assertThat(RawMcpClient.json(none).path("id").asString()).isEqualTo("seven");
        }
        for (var body : List.of("", "[", "{\"jsonrpc\":\"2.0\"}", "x".repeat(100_000))) {
            var none = send("POST", "/mcp", body);
            assertThat(none.statusCode()).isEqualTo(401);
            assertThat(RawMcpClient.json(none).has("id")).isFalse();
        }
    }

    @Test
    void theGeneralToolsAreInTheCatalogueAndCanBeInvoked() throws Exception {
        var tools = RawMcpClient.json(send("GET", "/api/mcp/tools", "", "X-Api-Key", key));
        assertThat(tools.path("tools")
                        .valueStream()
                        .map(tool -> tool.get("name").asString()))
                .contains("find_tools", "describe_tool", "run_tool");
        for (var name : List.of("find_tools", "describe_tool", "run_tool", "run_plan")) {
            assertThat(RawMcpClient.json(send("GET", "/api/mcp/tools/" + name, ""))
                            .at("/route/path")
                            .asString())
                    .isEqualTo("/api/mcp/tools/" + name + "/invoke");
        }
        var found = invoke("find_tools", "{\"query\": \"make an agent\"}");
        assertThat(found).contains("\"success\":true", "AP_Create");
        assertThat(invoke("describe_tool", "{\"name\": \"AP_Read\"}")).contains("inputSchema");
        assertThat(invoke("run_tool", "{\"name\": \"US_Read\"}")).contains("\"service\":\"US_Read\"");
        assertThat(invoke("run_tool", "{\"name\": \"US_Raed\"}"))
                .contains("\"success\":false", "did you mean US_Read?");
        assertThat(invoke("find_tools", "{\"q\": \"x\"}")).contains("did you mean query?");
    }

    private String invoke(String tool, String body) throws Exception {
        return send("POST", "/api/mcp/tools/" + tool + "/invoke", body, "X-Api-Key", key)
                .body();
    }
}
