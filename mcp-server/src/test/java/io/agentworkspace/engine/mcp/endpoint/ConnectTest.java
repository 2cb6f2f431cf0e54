package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The published client configurations, and an official client that connects with one. */
class ConnectTest {
    private static HttpResponse<byte[]> get(String path, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/mcp/clients" + path));
        return ClientApi.send((headers.length == 0 ? request : request.headers(headers)).build());
    }

    private static ObjectNode read(String path) {
        var response = get(path);
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        return Json.readObject(response.body());
    }

    @Test
    void theyAreListedForAnybody() {
        assertThat(read("").get("clients")
                        .valueStream()
                        .map(client -> client.get("client").asString()))
                .containsExactly("generic", "claude-code", "claude-desktop", "cursor", "vscode");
        var answer = get("/vscode", "Origin", "https://elsewhere.example");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).contains("*");
    }

    @Test
    void anUnknownClientIsRefusedWithThoseThereAre() {
        var response = get("/emacs");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(Json.readObject(response.body()).get("detail").asString())
                .contains("'emacs'")
                .contains("generic, claude-code, claude-desktop, cursor, vscode");
    }

    @ParameterizedTest
    @CsvSource({"toolset=bnak, did you mean bank?", "readonly=yes, true or false"})
    void whatIsNotThereIsRefused(String query, String note) {
        var response = get("/generic?" + query);
        assertThat(response.statusCode()).isEqualTo(422);
        assertThat(Json.readObject(response.body()).get("detail").asString()).contains(note);
    }

    /** The path of url and headers, the placeholder of the key, and the tools that are then listed. */
    @ParameterizedTest
    @CsvSource({
        "generic, '', <YOUR_API_KEY>, AP_List, 40",
        "claude-code, /mcpServers/agent-workspace, ${ENGINE_KEY}, AP_List, 40",
        "cursor, /mcpServers/agent-workspace, ${env:ENGINE_KEY}, AP_List, 40",
        "vscode, /servers/agent-workspace, ${input:engine-key}, AP_List, 40",
        "generic?toolset=bank&readonly=true, '', <YOUR_API_KEY>, MB_List, 1",
        "vscode?toolset=bank&toolset=zone, /servers/agent-workspace, ${input:engine-key}, ZN_List, 1",
        "cursor?toolset=discovery, /mcpServers/agent-workspace, ${env:ENGINE_KEY}, find_tools, 3",
    })
    void anOfficialClientIsConnectedByIt(String client, String at, String placeholder, String tool, int least) {
        Node.require();
        var key = new TestTenant().key(ClientApi.MCP, "ann", Role.OWNER, List.of("*"));
        var server = read("/" + client).get("configuration").at(at);
        var headers = Json.text(server.get("headers"));
        assertThat(headers).contains(placeholder);
        var ended = Node.run(
                Map.of("ENGINE_URL", server.get("url").asString(), "ENGINE_HEADERS", headers.replace(placeholder, key)),
                List.of(Node.script("connect.mjs")));
        assertThat(ended.code()).as(ended.errors()).isZero();
        var tools = Json.read(ended.output().getBytes(StandardCharsets.UTF_8))
                .valueStream()
                .map(JsonNode::asString)
                .toList();
        assertThat(tools).contains(tool).hasSizeGreaterThanOrEqualTo(least);
        if (client.contains("bank")) {
            assertThat(tools).allMatch(name -> name.startsWith("MB_") || name.startsWith("ZN_"));
        }
    }
}
