package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.ClientConfiguration;
import io.agentworkspace.engine.model.mcp.Handshake;
import io.agentworkspace.engine.model.mcp.HandshakeReports;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.mcp.McpClient;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.StorableInput;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The configurations of MCP clients, and the handshakes of clients that tried to connect. */
final class ConnectRoutes {
    private static final String CLIENTS = "/api/mcp/clients";
    private static final String CLIENT = CLIENTS + "/{client}";
    private static final String HANDSHAKES = "/api/mcp/handshakes";

    private static final String KEYS = "AK_List";

    private final ToolRunner runner;
    private final HandshakeReports handshakes;
    private final String host;
    private final List<String> toolsets;

    /** @param host the public address of the tool protocol's host */
    ConnectRoutes(ToolRunner runner, HandshakeReports handshakes, String host) {
        this.runner = runner;
        this.handshakes = handshakes;
        this.host = host;
        var families = runner.catalogue().tools().stream()
                .map(tool -> tool.family().word())
                .distinct();
        toolsets = Stream.concat(families, Toolset.GENERAL.stream()).toList();
    }

    List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.get(CLIENTS, this::clients, ConnectRoutes::ofClients),
                GatewayRoute.get(CLIENT, this::client, ConnectRoutes::ofClient),
                GatewayRoute.get(HANDSHAKES, this::handshakes, ConnectRoutes::ofHandshakes));
    }

    private Response clients(ContainerRequestContext context) {
        var address = address(context);
        var configurations = Arrays.stream(McpClient.values())
                .map(client -> client.configuration(address))
                .toList();
        return RestResponse.json(200, Json.tree(new Clients(configurations)));
    }

    private Response client(ContainerRequestContext context) {
        var client = McpClient.read(context.getUriInfo().getPathParameters().getFirst("client"));
        return RestResponse.json(200, Json.tree(client.configuration(address(context))));
    }

    private McpAddress address(ContainerRequestContext context) {
        var query = context.getUriInfo().getQueryParameters();
        var words = query.getOrDefault("toolset", List.of()).stream()
                .flatMap(list -> Arrays.stream(list.split(",")))
                .map(word -> word.strip().toLowerCase(Locale.ROOT))
                .filter(word -> !word.isEmpty())
                .distinct()
                .toList();
        words.stream().filter(word -> !toolsets.contains(word)).findFirst().ifPresent(this::refuse);
        return new McpAddress(host, words, readOnly(query));
    }

    private void refuse(String word) {
        var excerpt = Name.shortened(word);
        var near = Near.nearest(excerpt, toolsets, 1);
        throw Problem.invalid(
                "toolset",
                "names '%s', which is no toolset%s; there are %s"
                        .formatted(
                                excerpt,
                                near.isEmpty() ? "" : " (did you mean %s?)".formatted(near.getFirst()),
                                String.join(", ", toolsets)));
    }

    private static boolean readOnly(MultivaluedMap<String, String> query) {
        return switch (query.getOrDefault("readonly", List.of("false")).getFirst()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw Problem.invalid("readonly", "must be true or false");
        };
    }

    /**
     * Returns the latest handshakes of a key. For a key other than the caller's own, the requirements of AK_List
     * apply.
     */
    private Response handshakes(ContainerRequestContext context) {
        var caller = RestExchange.current().identified();
        var key = context.getUriInfo().getQueryParameters().getFirst("key_id");
        if (key != null) {
            StorableInput.check("key_id", key);
        }
        if (key != null && !key.equals(caller.credential().key())) {
            caller.obstacle(runner.catalogue().read(KEYS)).ifPresent(note -> {
                throw Problem.notPermitted(note);
            });
        }
        return RestResponse.json(200, Json.tree(handshakes.latest(caller, key)));
    }

    private static Operation ofClients() {
        return limited(new Operation(
                                "clients",
                                Tag.MCP,
                                "List the clients that there is a configuration for",
                                "A ready configuration for each kind of MCP client. No answer holds a key: where it goes"
                                        + " is a placeholder or a prompt.")
                        .open())
                .answers(200, "The configurations.", Clients.class)
                .problems(401, 422, 429, 500);
    }

    private static Operation ofClient() {
        return limited(new Operation(
                                "client",
                                Tag.MCP,
                                "Read the configuration for a client",
                                "What to paste where, the install link and the command of one kind of MCP client, and how"
                                        + " to see that it works.")
                        .open()
                        .parameter("path", "client", true, "The client.", oneOf(McpClient.words()))
                        .suchAs("cursor"))
                .answers(200, "The configuration.", "ClientConfiguration")
                .problems(401, 404, 422, 429, 500);
    }

    private static Operation ofHandshakes() {
        return new Operation(
                        "handshakes",
                        Tag.MCP,
                        "Read how your clients fared",
                        "The last 20 handshakes at /mcp of your key, or of what you signed in with otherwise, also those"
                                + " that were refused: what was wrong, and what would be right. Kept for 30 days.")
                .parameter(
                        "query",
                        "key_id",
                        false,
                        "The id of another key that you may read, as AK_List shows it; your own otherwise.",
                        Json.object().put("type", "string"))
                .suchAs("4uVt2kPq8ZxT")
                .answers(200, "The handshakes.", "Handshakes", Handshake.Latest.class)
                .problems(401, 403, 404, 429, 500, 503);
    }

    private static ObjectNode oneOf(List<String> words) {
        var text = Json.object().put("type", "string");
        words.forEach(text.putArray("enum")::add);
        return text;
    }

    private static Operation limited(Operation operation) {
        return operation
                .parameter(
                        "query",
                        "toolset",
                        false,
                        "Only these toolsets, with commas between them: families of tools such as agent or bank, work, all, discovery.",
                        Json.object().put("type", "string"))
                .suchAs("agent,bank")
                .parameter(
                        "query",
                        "readonly",
                        false,
                        "Only tools that change nothing.",
                        Json.object().put("type", "boolean"))
                .suchAs(Json.valueTree(true));
    }

    record Clients(
            @Doc("A configuration for each kind of client.") List<ClientConfiguration> clients) {}
}
