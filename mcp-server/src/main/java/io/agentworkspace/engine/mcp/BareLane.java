package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Json;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * The lane of the contract's own client ("Tool protocol (MCP) transport"): one object in, one object out, HTTP 200 also
 * for JSON-RPC errors; no handshake, no {@code Accept}, no stream.
 */
final class BareLane implements Lane {
    private static final List<String> METHODS = List.of("ping", "tools/list", "tools/call");

    private final Tools tools;

    BareLane(Tools tools) {
        this.tools = tools;
    }

    @Override
    public void serve(Message message, Exchange exchange) {
        if (message.isNotification()) {
            exchange.accept();
        } else {
            exchange.reply(answer(message, exchange));
        }
    }

    private ObjectNode answer(Message message, Exchange exchange) {
        try {
            return message.answer(result(message, exchange));
        } catch (RpcError error) {
            return error.json(message.id());
        }
    }

    private ObjectNode result(Message message, Exchange exchange) {
        if (METHODS.contains(message.method())) {
            exchange.ran(message.method());
        }
        return switch (message.method()) {
            case "ping" -> Json.object();
            case "tools/list" -> tools.list(exchange);
            case "tools/call" -> tools.call(message.params(), exchange);
            default -> throw RpcError.unknownMethod(message.method(), METHODS, exchange.requestId());
        };
    }
}
