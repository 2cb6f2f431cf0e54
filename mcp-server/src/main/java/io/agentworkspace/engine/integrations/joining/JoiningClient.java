package io.agentworkspace.engine.integrations.joining;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.key.JoinResponse.ClientFile;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.mcp.McpClient;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A client that joins, and how it is configured: the coding agents that the script knows, and all other MCP clients. */
record JoiningClient(String title, List<ClientFile> files, List<String> commands) {
    private static final String CODEX = "codex";
    private static final String GEMINI = "gemini-cli";

    /** @throws Problem {@code invalid_field}, with the known clients */
    static JoiningClient of(String word, String mcpUrl) {
        return switch (word) {
            case CODEX -> codex(mcpUrl + McpAddress.ENDPOINT);
            case GEMINI -> gemini(mcpUrl + McpAddress.ENDPOINT);
            default ->
                Arrays.stream(McpClient.values())
                        .filter(client -> client.word().equals(word))
                        .findFirst()
                        .map(client -> of(client, mcpUrl))
                        .orElseThrow(JoiningClient::unknown);
        };
    }

    /** Finds the client of the script that an agent is named after, such as {@code claude} or {@code codex-2}. */
    static Optional<String> namedIn(String agent) {
        return Stream.of("claude-code", CODEX, GEMINI)
                .filter(client ->
                        agent.equals(client.replace('-', ' ')) || (agent + "-").startsWith(program(client) + "-"))
                .findFirst();
    }

    private static String program(String client) {
        return client.split("-", 2)[0];
    }

    private static JoiningClient of(McpClient client, String mcpUrl) {
        var configuration = client.configuration(new McpAddress(mcpUrl, List.of(), false));
        var file = new ClientFile(configuration.file(), Json.pretty(configuration.configuration()));
        return new JoiningClient(
                client.title(),
                List.of(file),
                configuration.command() == null ? List.of() : List.of(configuration.command()));
    }

    private static Problem unknown() {
        var words = Stream.concat(McpClient.words().stream(), Stream.of(CODEX, GEMINI))
                .sorted()
                .collect(Collectors.joining(", "));
        return Problem.invalid("client", "must be one of %s; any other client is generic".formatted(words));
    }

    private static JoiningClient codex(String url) {
        var table = """
                [mcp_servers.agent-workspace]
                url = "%s"
                env_http_headers = { "X-Api-Key" = "ENGINE_KEY" }
                """.formatted(url);
        return new JoiningClient(
                "Codex",
                List.of(new ClientFile("~/.codex/config.toml", table)),
                List.of("codex mcp add agent-workspace --url %s --bearer-token-env-var ENGINE_KEY".formatted(url)));
    }

    private static JoiningClient gemini(String url) {
        var file = Json.object();
        var server = file.putObject("mcpServers").putObject("agent-workspace").put("httpUrl", url);
        server.putObject("headers").put("X-Api-Key", "$ENGINE_KEY");
        return new JoiningClient(
                "Gemini CLI",
                List.of(new ClientFile("~/.gemini/settings.json", Json.pretty(file))),
                List.of(
                        "gemini mcp add --scope user --transport http --header 'X-Api-Key: $ENGINE_KEY' agent-workspace "
                                + url));
    }
}
