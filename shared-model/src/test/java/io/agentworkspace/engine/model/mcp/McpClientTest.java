package io.agentworkspace.engine.model.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.json.Json;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

class McpClientTest {
    private static final McpAddress ADDRESS = McpAddress.of("https://mcp.example");

    private static ClientConfiguration of(McpClient client) {
        return client.configuration(ADDRESS);
    }

    private static ObjectNode json(String text) {
        return Json.readObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String link, String before) {
        assertThat(link).startsWith(before).doesNotContain("+").doesNotContain(" ");
        return URLDecoder.decode(link.substring(before.length()), StandardCharsets.UTF_8);
    }

    @Test
    void theGenericOneIsThatOfTheContract() {
        assertThat(Json.text(of(McpClient.GENERIC).configuration()))
                .isEqualTo("{\"name\":\"agent-workspace\",\"transport\":\"http\",\"url\":\"https://mcp.example/mcp\","
                        + "\"headers\":{\"X-API-Key\":\"<YOUR_API_KEY>\"}}");
    }

    @ParameterizedTest
    @EnumSource(McpClient.class)
    void eachSaysAllThereIsToSayAndHoldsNoKey(McpClient client) {
        var configuration = of(client);
        var text = Json.text(configuration);
        assertThat(text).contains("https://mcp.example/mcp").doesNotContain("ek_");
        assertThat(text).containsAnyOf("<YOUR_API_KEY>", "${ENGINE_KEY}", "${env:ENGINE_KEY}", "${input:engine-key}");
        assertThat(configuration.client()).isEqualTo(client.word());
        assertThat(configuration.steps()).hasSizeGreaterThan(1);
        assertThat(configuration.verify()).endsWith(".");
        assertThat(McpClient.read(client.word())).isEqualTo(client);
    }

    @Test
    void claudeCodeItselfPutsTheKeyIn() {
        var code = of(McpClient.CLAUDE_CODE);
        assertThat(code.configuration())
                .isEqualTo(
                        json(
                                "{'mcpServers':{'agent-workspace':{'type':'http','url':'https://mcp.example/mcp','headers':{'X-Api-Key':'${ENGINE_KEY}'}}}}"));
        assertThat(code.command())
                .isEqualTo("claude mcp add --transport http agent-workspace https://mcp.example/mcp"
                        + " \\\n  --header 'X-Api-Key: ${ENGINE_KEY}'");
    }

    @Test
    void claudeDesktopIsGivenAProgramThatSendsTheKey() {
        var arguments = of(McpClient.CLAUDE_DESKTOP)
                .configuration()
                .at("/mcpServers/agent-workspace/args")
                .valueStream()
                .map(argument -> argument.asString())
                .toList();
        assertThat(arguments)
                .containsExactly(
                        "-y",
                        "mcp-remote",
                        "https://mcp.example/mcp",
                        "--transport",
                        "http-only",
                        "--header",
                        "X-Api-Key:${ENGINE_KEY}");
        for (var plain : List.of("http://10.0.0.1:8080", "http://localhost.evil")) {
            assertThat(Json.text(McpClient.CLAUDE_DESKTOP
                            .configuration(McpAddress.of(plain))
                            .configuration()))
                    .contains("--allow-http");
        }
        assertThat(Json.text(McpClient.CLAUDE_DESKTOP
                        .configuration(McpAddress.of("http://127.0.0.1:8080"))
                        .configuration()))
                .doesNotContain("--allow-http");
    }

    @Test
    void cursorsLinkIsItsConfiguration() {
        var cursor = of(McpClient.CURSOR);
        var link = String.valueOf(cursor.installLink());
        var config = decoded(link, "cursor://anysphere.cursor-deeplink/mcp/install?name=agent-workspace&config=");
        assertThat(Json.readObject(Base64.getDecoder().decode(config)))
                .isEqualTo(cursor.configuration().at("/mcpServers/agent-workspace"));
    }

    /** As VS Code takes it apart: name and inputs off, the rest is the server. */
    @Test
    void vsCodesLinkIsItsConfiguration() {
        var code = of(McpClient.VSCODE);
        var link = json(decoded(String.valueOf(code.installLink()), "vscode:mcp/install?"));
        assertThat(link.remove("name").asString()).isEqualTo("agent-workspace");
        assertThat(link.remove("inputs")).isEqualTo(code.configuration().get("inputs"));
        assertThat(link).isEqualTo(code.configuration().at("/servers/agent-workspace"));
        assertThat(code.configuration().at("/inputs/0/password").asBoolean()).isTrue();
        assertThat(link.at("/headers/X-Api-Key").asString())
                .isEqualTo("${input:" + code.configuration().at("/inputs/0/id").asString() + "}");
    }

    @Test
    void aClientCanBeLimited() {
        var one = new McpAddress("https://mcp.example", List.of("bank"), true);
        assertThat(one.url()).isEqualTo("https://mcp.example/mcp/x/bank/readonly");
        var two = new McpAddress("https://mcp.example", List.of("agent", "bank"), false);
        var headers = McpClient.GENERIC.configuration(two).configuration().get("headers");
        assertThat(two.url()).isEqualTo("https://mcp.example/mcp");
        assertThat(headers.get("X-MCP-Toolsets").asString()).isEqualTo("agent,bank");
        assertThat(McpClient.CLAUDE_CODE.configuration(two).command())
                .endsWith(" --header 'X-MCP-Toolsets: agent,bank'");
    }

    @Test
    void clientsAreKnownByWhatTheyCallThemselves() {
        assertThat(McpClient.named("claude-code")).contains(McpClient.CLAUDE_CODE);
        assertThat(McpClient.named("claude-ai (via mcp-remote 0.1.37)")).contains(McpClient.CLAUDE_DESKTOP);
        assertThat(McpClient.named("cursor-vscode")).contains(McpClient.CURSOR);
        assertThat(McpClient.named("Visual Studio Code - Insiders")).contains(McpClient.VSCODE);
        assertThat(McpClient.named("curl/8")).isEmpty();
        assertThat(McpClient.named(null)).isEmpty();
        assertThatThrownBy(() -> McpClient.read("emacs"))
                .hasMessage("there is no configuration for the client 'emacs'; there are generic, claude-code,"
                        + " claude-desktop, cursor, vscode");
    }
}
