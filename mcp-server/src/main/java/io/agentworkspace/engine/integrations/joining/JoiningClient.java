package io.agentworkspace.engine.integrations.joining;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.key.JoinResponse.ClientFile;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.mcp.McpClient;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.workspace.delivery.hooks.ClientFolder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A client that joins, and how it is configured: those with a folder, and all other MCP clients. */
record JoiningClient(String title, List<ClientFile> files, List<String> commands) {
    /** @throws Problem {@code invalid_field}, with the known clients */
    static JoiningClient of(String word, String mcpUrl) {
        return Arrays.stream(McpClient.values())
                .filter(client -> client.word().equals(word))
                .findFirst()
                .map(client -> of(client, mcpUrl))
                .or(() -> ClientFolder.find(word).map(folder -> of(folder, mcpUrl + McpAddress.ENDPOINT)))
                .orElseThrow(JoiningClient::unknown);
    }

    /** Finds the client that an agent is named after, such as {@code claude} or {@code codex-2}. */
    static Optional<String> namedIn(String agent) {
        return ClientFolder.all().stream()
                .filter(folder -> agent.equals(folder.word().replace('-', ' '))
                        || folder.names().stream().anyMatch(name -> (agent + "-").startsWith(name + "-")))
                .map(ClientFolder::word)
                .findFirst();
    }

    private static JoiningClient of(McpClient client, String mcpUrl) {
        var configuration = client.configuration(new McpAddress(mcpUrl, List.of(), false));
        var file = new ClientFile(configuration.file(), Json.pretty(configuration.configuration()));
        return new JoiningClient(
                client.title(),
                List.of(file),
                configuration.command() == null ? List.of() : List.of(configuration.command()));
    }

    private static JoiningClient of(ClientFolder folder, String url) {
        var configuration = folder.description().path("configuration");
        var content = configuration.path("content");
        var text = content.isString() ? content.asString() : Json.pretty(content);
        return new JoiningClient(
                folder.title(),
                List.of(new ClientFile(configuration.path("file").asString(), text.replace("$URL", url))),
                configuration
                        .path("commands")
                        .valueStream()
                        .map(JsonNode::asString)
                        .map(command -> command.replace("$URL", url))
                        .toList());
    }

    private static Problem unknown() {
        var words = Stream.concat(
                        McpClient.words().stream(), ClientFolder.all().stream().map(ClientFolder::word))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return Problem.invalid("client", "must be one of %s; any other client is generic".formatted(words));
    }
}
