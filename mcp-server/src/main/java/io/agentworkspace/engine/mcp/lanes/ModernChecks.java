package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.EncodedHeader;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.kernel.wire.RequestNotifier;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Validates a request of a stateless revision before it runs: first its {@code _meta}, then that its headers match the body.
 */
public final class ModernChecks {
    private static final String PROTOCOL_VERSION = JsonRpcMessage.meta("protocolVersion");
    private static final String CAPABILITIES = JsonRpcMessage.meta("clientCapabilities");
    private static final String CLIENT = JsonRpcMessage.meta("clientInfo");
    private static final String LOG_LEVEL = JsonRpcMessage.meta("logLevel");
    private static final List<String> SUPPORTED = List.of(ProtocolRevision.MODERN.word());

    private final McpMethods methods;

    ModernChecks(McpMethods methods) {
        this.methods = methods;
    }

    /** Returns whether the message declares a stateless revision. */
    public static boolean isModern(JsonRpcMessage message) {
        return message.meta().has(PROTOCOL_VERSION);
    }

    /**
     * Returns the client that the message describes.
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
        return ClientInfo.of(ProtocolRevision.MODERN, capabilities);
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

    /** Returns the value that the header {@code Mcp-Name} must repeat; null if the body has none. */
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

    /** @throws RpcError if a tool's argument differs from its header */
    void arguments(JsonRpcMessage message, McpExchange exchange, McpRequest request) {
        if (message.method().equals("tools/call")
                && message.params().path("name").isString()) {
            var arguments = message.params().get("arguments");
            methods.tools()
                    .find(message.params().get("name").asString(), request)
                    .ifPresent(tool -> ParamHeaders.check(
                            tool.path("inputSchema"),
                            arguments instanceof ObjectNode object
                                    ? object
                                    : message.params().objectNode(),
                            exchange));
        }
    }

    /** Returns the minimum level of log messages that the request asks for; null for no log messages. */
    static @Nullable String logLevel(JsonRpcMessage message) {
        var level = message.meta().get(LOG_LEVEL);
        return level == null ? null : level.asString();
    }
}
