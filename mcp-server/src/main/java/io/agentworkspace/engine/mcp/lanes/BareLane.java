package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.mcp.wire.ClientInfo;
import io.agentworkspace.engine.mcp.wire.Era;
import io.agentworkspace.engine.mcp.wire.InputResponses;
import io.agentworkspace.engine.mcp.wire.JsonRpcMessage;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import io.agentworkspace.engine.mcp.wire.RequestNotifier;
import io.agentworkspace.engine.mcp.wire.RpcError;
import io.agentworkspace.engine.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.node.ObjectNode;

/**
 * The lane of the contract's own client ("Tool protocol (MCP) transport"): one object in, one object out, HTTP 200 also
 * for JSON-RPC errors; no handshake, no {@code Accept}, no stream.
 */
public final class BareLane implements Lane {
    private final McpMethods methods;
    private final List<String> names = new ArrayList<>();

    public BareLane(McpMethods methods) {
        this.methods = methods;
        names.add("ping");
        names.addAll(methods.names(false));
    }

    @Override
    public String era() {
        return Era.BARE;
    }

    @Override
    public void serve(JsonRpcMessage message, McpExchange exchange) {
        if (message.isNotification()) {
            exchange.accept();
        } else {
            answer(message, exchange);
        }
    }

    private void answer(JsonRpcMessage message, McpExchange exchange) {
        ObjectNode result;
        try {
            result = result(message, exchange);
        } catch (RpcError error) {
            exchange.failed(error);
            exchange.reply(exchange.status(error, HttpStatus.OK_200), error.json(message.id()));
            return;
        }
        exchange.reply(message.answer(result));
    }

    private ObjectNode result(JsonRpcMessage message, McpExchange exchange) {
        if (!names.contains(message.method())) {
            throw RpcError.unknownMethod(message.method(), names, exchange.requestId());
        }
        if (message.method().equals("ping")) {
            exchange.ran("ping");
            return Json.object();
        }
        var request = new McpRequest(exchange, ClientInfo.unknown(), RequestNotifier.silent(), InputResponses.NONE);
        return switch (methods.serve(message.method(), message.params(), request)) {
            case MethodResult.Done done -> done.result();
            case MethodResult.Ask ask -> {
                LaneContext.checkAbilities(ask, request.client());
                throw new IllegalStateException(message.method() + " asks nothing");
            }
        };
    }
}
