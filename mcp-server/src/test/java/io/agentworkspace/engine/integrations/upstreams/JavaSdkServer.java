package io.agentworkspace.engine.integrations.upstreams;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.json.Json;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpStatelessServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpStatelessServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpStatelessServerHandler;
import io.modelcontextprotocol.server.McpStatelessSyncServer;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpStatelessServerTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A server of the official Java SDK over Streamable HTTP without sessions. Its own HTTP transports need a servlet container. */
final class JavaSdkServer implements AutoCloseable {
    private static final Map<String, Object> NUMBERS = Map.of(
            "type", "object",
            "properties", Map.of("a", Map.of("type", "integer"), "b", Map.of("type", "integer")),
            "required", List.of("a", "b"));

    private final HttpServer http;
    private final McpStatelessSyncServer server;

    JavaSdkServer() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var transport = new Transport();
        server = McpServer.sync(transport)
                .serverInfo("java", "1")
                .capabilities(McpSchema.ServerCapabilities.builder()
                        .tools(false)
                        .resources(false, false)
                        .prompts(false)
                        .build())
                .toolCall(tool("add"), (_, call) -> sum(call, false))
                .toolCall(tool("fail"), (_, call) -> sum(call, true))
                .resources(new SyncResourceSpecification(
                        McpSchema.Resource.builder("java://notes", "notes").build(), (_, read) -> notes(read.uri())))
                .prompts(new SyncPromptSpecification(
                        McpSchema.Prompt.builder("greet")
                                .description("Greets somebody.")
                                .arguments(List.of(McpSchema.PromptArgument.builder("who")
                                        .required(true)
                                        .build()))
                                .build(),
                        (_, get) -> greeting(String.valueOf(get.arguments().get("who")))))
                .build();
        http.createContext("/mcp", transport::handle);
        http.start();
    }

    private static McpSchema.ReadResourceResult notes(String uri) {
        return McpSchema.ReadResourceResult.builder(List.of(McpSchema.TextResourceContents.builder(uri, "Some notes.")
                        .build()))
                .build();
    }

    private static McpSchema.GetPromptResult greeting(String who) {
        var text = McpSchema.TextContent.builder("Greet %s.".formatted(who)).build();
        return McpSchema.GetPromptResult.builder(List.of(McpSchema.PromptMessage.builder(McpSchema.Role.USER, text)
                        .build()))
                .build();
    }

    private static McpSchema.Tool tool(String name) {
        return McpSchema.Tool.builder(name, NUMBERS)
                .description("Adds numbers.")
                .build();
    }

    private static CallToolResult sum(CallToolRequest call, boolean isError) {
        var sum = ((Number) call.arguments().get("a")).intValue()
                + ((Number) call.arguments().get("b")).intValue();
        return CallToolResult.builder()
                .addTextContent(Integer.toString(sum))
                .isError(isError)
                .build();
    }

    String url() {
        return "http://127.0.0.1:%d/mcp".formatted(http.getAddress().getPort());
    }

    @Override
    public void close() {
        server.close();
        http.stop(0);
    }

    /** Gives the SDK's server what comes over HTTP. */
    private static final class Transport implements McpStatelessServerTransport {
        private @Nullable McpStatelessServerHandler handler;

        @Override
        public void setMcpHandler(McpStatelessServerHandler mcpHandler) {
            handler = mcpHandler;
        }

        @Override
        public Mono<Void> closeGracefully() {
            return Mono.empty();
        }

        @Override
        public List<String> protocolVersions() {
            return List.of("2025-06-18", "2025-11-25");
        }

        void handle(HttpExchange exchange) throws IOException {
            var message = Json.readObject(exchange.getRequestBody().readAllBytes());
            if (!message.has("id")) {
                exchange.sendResponseHeaders(202, -1);
                exchange.close();
                return;
            }
            var request = new McpSchema.JSONRPCRequest(
                    message.path("method").asString(""),
                    message.path("id").isNumber()
                            ? message.path("id").asInt()
                            : message.path("id").asString(""),
                    Json.bind(message.withObjectProperty("params"), Map.class));
            var response = Objects.requireNonNull(Objects.requireNonNull(handler)
                    .handleRequest(McpTransportContext.EMPTY, request)
                    .block());
            var bytes = io.modelcontextprotocol.json.McpJsonDefaults.getMapper().writeValueAsBytes(response);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        }
    }
}
