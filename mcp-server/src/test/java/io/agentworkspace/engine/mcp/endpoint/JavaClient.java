package io.agentworkspace.engine.mcp.endpoint;

import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.json.Json;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CompleteRequest;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.ResourceReference;
import io.modelcontextprotocol.spec.McpSchema.SubscribeRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The client of the Java SDK, which uses sessions. */
record JavaClient() implements OfficialClient {
    @Override
    public String name() {
        return "io.modelcontextprotocol.sdk:mcp-core";
    }

    @Override
    public String version() {
        return McpClient.class.getPackage().getImplementationVersion();
    }

    @Override
    public String mode() {
        return "";
    }

    /** @param uris receives the URIs of resources that have changed */
    static McpSyncClient connect(String url, String key, Queue<String> uris) {
        var address = URI.create(url);
        var transport = HttpClientStreamableHttpTransport.builder(
                        address.resolve("/").toString())
                .endpoint(address.getPath())
                .requestBuilder(HttpRequest.newBuilder().header("X-API-Key", key))
                .build();
        var client = McpClient.sync(transport)
                .requestTimeout(Duration.ofMinutes(2))
                .resourcesUpdateConsumer(contents -> contents.forEach(content -> uris.add(content.uri())))
                .build();
        client.initialize();
        return client;
    }

    @Override
    public SessionTranscript talk(String url, String key, String agent) {
        return SessionTranscript.of(steps -> {
            var uris = new ConcurrentLinkedQueue<String>();
            try (var client = connect(url, key, uris);
                    var other = connect(url, key, new ConcurrentLinkedQueue<>())) {
                var server = client.getCurrentInitializationResult();
                steps.put(
                        "connect",
                        Json.object()
                                .put("version", server.protocolVersion())
                                .put("server", server.serverInfo().name()));
                useTools(client, agent, steps);
                readResources(client, agent, steps);
                steps.put("told", JsonNodeFactory.instance.stringNode(news(client, other, agent, uris)));
                finish(client, agent, steps);
            }
        });
    }

    private static void useTools(McpSyncClient client, String agent, Map<String, JsonNode> steps) throws IOException {
        var tools = JsonNodeFactory.instance.arrayNode();
        client.listTools().tools().forEach(tool -> tools.add(tool.name())); // From all pages.
        steps.put("tools", tools);
        steps.put("read", call(client, "US_Read", Map.of()));
        var vx = Map.of("name", agent, "description", "A test agent.");
        steps.put("write", call(client, "AP_Create", Map.of("vx", vx)));
        steps.put("refused", call(client, "AP_Read", Map.of("target", Map.of("agent", "nobody there"))));
    }

    private static JsonNode call(McpSyncClient client, String tool, Map<String, Object> arguments) throws IOException {
        return json(client.callTool(
                CallToolRequest.builder(tool).arguments(arguments).build()));
    }

    private static void readResources(McpSyncClient client, String agent, Map<String, JsonNode> steps)
            throws IOException {
        var resources = JsonNodeFactory.instance.arrayNode();
        client.listResources().resources().forEach(resource -> resources.add(resource.uri()));
        steps.put("resources", resources);
        steps.put("skill", read(client, "skill://first-steps/SKILL.md"));
        steps.put("agent", read(client, "engine://agents/" + agent));
    }

    private static JsonNode read(McpSyncClient client, String uri) throws IOException {
        return json(client.readResource(ReadResourceRequest.builder(uri).build()));
    }

    /** Returns what a client that listens to an agent is notified of when another one changes it. */
    static String news(McpSyncClient client, McpSyncClient other, String agent, Queue<String> uris) {
        client.subscribeResource(
                SubscribeRequest.builder("engine://agents/" + agent).build());
        // A session's stream may open after its subscription, so the change is repeated until a notification arrives.
        await().pollInterval(Duration.ofMillis(250)).until(() -> {
            var vx = Map.of("description", "Change " + System.nanoTime());
            call(other, "AP_Modify", Map.of("target", Map.of("agent", agent), "vx", vx));
            return !uris.isEmpty();
        });
        return uris.element();
    }

    private static void finish(McpSyncClient client, String agent, Map<String, JsonNode> steps) throws IOException {
        var prefix = new CompleteRequest.CompleteArgument("agent", agent.substring(0, 3));
        var template = new ResourceReference("engine://agents/{agent}");
        steps.put(
                "complete",
                json(client.completeCompletion(
                        CompleteRequest.builder(template, prefix).build())));
        Map<String, Object> task = Map.of("task", "Make an agent.");
        steps.put(
                "prompt",
                json(client.getPrompt(
                        GetPromptRequest.builder("first-steps").arguments(task).build())));
    }

    private static JsonNode json(Object result) throws IOException {
        return Json.read(McpJsonDefaults.getMapper().writeValueAsBytes(result));
    }
}
