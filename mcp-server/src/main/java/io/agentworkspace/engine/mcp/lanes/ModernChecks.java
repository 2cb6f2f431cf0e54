package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.mcp.wire.ClientInfo;
import io.agentworkspace.engine.mcp.wire.EncodedHeader;
import io.agentworkspace.engine.mcp.wire.JsonRpcMessage;
import io.agentworkspace.engine.mcp.wire.RequestNotifier;
import io.agentworkspace.engine.mcp.wire.Revision;
import io.agentworkspace.engine.mcp.wire.RpcError;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What has to be right about a request of the stateless revisions before it is carried out, in this order: what it says
 * about itself in {@code _meta}, and that its headers say the same.
 */
public final class ModernChecks {
    private static final String PROTOCOL_VERSION = JsonRpcMessage.meta("protocolVersion");
    private static final String CAPABILITIES = JsonRpcMessage.meta("clientCapabilities");
    private static final String CLIENT = JsonRpcMessage.meta("clientInfo");
    private static final String LOG_LEVEL = JsonRpcMessage.meta("logLevel");
    private static final List<String> SUPPORTED = List.of(Revision.MODERN.word());

    private final McpMethods methods;

    ModernChecks(McpMethods methods) {
        this.methods = methods;
    }

    /** Whether the message says of itself that it is of a stateless revision. */
    public static boolean isModern(JsonRpcMessage message) {
        return message.meta().has(PROTOCOL_VERSION);
    }

    /**
     * The client that the message describes.
     *
     * @throws RpcError with status 400
     */
    ClientInfo client(JsonRpcMessage message, McpExchange exchange) {
        var id = exchange.requestId();
        if (!(message.params().get(JsonRpcMessage.META) instanceof ObjectNode meta)) {
            throw incomplete(Problem.missing("params._meta"), id);
        }
        if (!meta.path(PROTOCOL_VERSION).isString()) {
            throw incomplete(Problem.missing("params._meta['%s'], a string,".formatted(PROTOCOL_VERSION)), id);
        }
        if (!(meta.get(CAPABILITIES) instanceof ObjectNode capabilities)) {
            throw incomplete(Problem.missing("params._meta['%s'], an object,".formatted(CAPABILITIES)), id);
        }
        if (meta.has(LOG_LEVEL)
                && !RequestNotifier.LEVELS.contains(meta.path(LOG_LEVEL).asString(""))) {
            throw incomplete(
                    Problem.invalid(
                            "params._meta['%s']".formatted(LOG_LEVEL), "must be one of " + RequestNotifier.LEVELS),
                    id);
        }
        var version = meta.get(PROTOCOL_VERSION).asString();
        mirrored(McpExchange.VERSION, version, exchange);
        if (!SUPPORTED.contains(version)) {
            throw RpcError.unsupportedVersion(version, SUPPORTED);
        }
        mirrored("Mcp-Method", message.method(), exchange);
        var name = name(message);
        if (name != null) {
            mirrored("Mcp-Name", name, exchange);
        }
        exchange.comesFrom(ClientInfo.name(meta.get(CLIENT)));
        return ClientInfo.of(Revision.MODERN, capabilities);
    }

    private static RpcError incomplete(Problem problem, String requestId) {
        return RpcError.incomplete(problem.because(Cause.META), requestId);
    }

    private void mirrored(String header, String expected, McpExchange exchange) {
        var fields = exchange.request().getHeaders().getFields(header);
        if (fields.size() != 1) {
            throw RpcError.headerMismatch(
                    "the header %s must come once, with what the body says".formatted(header), exchange.requestId());
        }
        var value = fields.getFirst().getValue();
        if (value == null || !EncodedHeader.decode(value).map(expected::equals).orElse(false)) {
            throw RpcError.headerMismatch(
                    "the header %s differs from what the body says".formatted(header), exchange.requestId());
        }
    }

    /** What the header Mcp-Name repeats; null where the body has nothing that could be repeated. */
    private @Nullable String name(JsonRpcMessage message) {
        var field = switch (message.method()) {
            case "tools/call", "prompts/get" -> "name";
            case "resources/read" -> "uri";
            default ->
                methods.extension(message.method())
                        .map(extension -> extension.named(message.method()))
                        .orElse("");
        };
        var value = field.isEmpty() ? null : message.params().get(field);
        return value == null || !value.isString() ? null : value.asString();
    }

    /** @throws RpcError when an argument of a tool and its header differ */
    void arguments(JsonRpcMessage message, McpExchange exchange, McpRequest request) {
        if (message.method().equals("tools/call")
                && message.params().path("name").isString()) {
            var arguments = message.params().get("arguments");
            methods.tools()
                    .find(message.params().get("name").asString(), request)
                    .ifPresent(tool -> ParamHeaders.check(
                            tool.path("inputSchema"),
                            arguments instanceof ObjectNode given
                                    ? given
                                    : message.params().objectNode(),
                            exchange));
        }
    }

    /** The least level of log messages that the request asks for, or null for none. */
    static @Nullable String logLevel(JsonRpcMessage message) {
        var level = message.meta().get(LOG_LEVEL);
        return level == null ? null : level.asString();
    }
}
