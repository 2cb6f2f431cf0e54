package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.Era;
import io.agentworkspace.engine.kernel.wire.InputResponses;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.RequestNotifier;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.mcp.streams.StreamableResponse;
import io.agentworkspace.engine.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The lane of the contract's own client ("Tool protocol (MCP) transport"): one object in, one object out, HTTP 200 also
 * for JSON-RPC errors; no handshake and no {@code Accept}. Only a call that waits begins as a stream, for a client that
 * accepts one.
 */
public final class BareLane implements Lane {
    private final McpMethods methods;
    private final LaneContext lane;
    private final List<String> names = new ArrayList<>();

    public BareLane(McpMethods methods, LaneContext lane) {
        this.methods = methods;
        this.lane = lane;
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
        var stream = new WaitStream(exchange);
        try {
            stream.finish(HttpStatus.OK_200, message.answer(result(message, exchange, stream)));
        } catch (RpcError error) {
            exchange.failed(error);
            stream.finish(exchange.status(error, HttpStatus.OK_200), error.json(message.id()));
        } catch (RuntimeException | Error defect) {
            if (!stream.fail(defect)) {
                throw defect;
            }
        }
    }

    /** The response, which is a stream from the moment when the call begins to wait. */
    private final class WaitStream {
        private final McpExchange exchange;
        private @Nullable StreamableResponse response;

        WaitStream(McpExchange exchange) {
            this.exchange = exchange;
        }

        void begin() {
            if (response == null && exchange.takesEvents()) {
                response = lane.begin(exchange);
                response.start();
            }
        }

        void send(ObjectNode notification) {
            if (response != null) {
                response.send(notification);
            }
        }

        void finish(int status, ObjectNode answer) {
            if (response == null) {
                exchange.reply(status, answer);
            } else {
                response.finish(status, answer);
            }
        }

        /** Returns whether there is a stream that can report the failure. */
        boolean fail(Throwable defect) {
            if (response != null) {
                response.fail(defect);
            }
            return response != null;
        }
    }

    private ObjectNode result(JsonRpcMessage message, McpExchange exchange, WaitStream stream) {
        if (!names.contains(message.method())) {
            throw RpcError.unknownMethod(message.method(), names, exchange.requestId());
        }
        if (message.method().equals("ping")) {
            exchange.ran("ping");
            return Json.object();
        }
        var request = new McpRequest(
                exchange,
                ClientInfo.unknown(),
                RequestNotifier.of(message, null, stream::send, stream::begin),
                InputResponses.NONE,
                message.meta());
        return switch (methods.serve(message.method(), message.params(), request)) {
            case MethodResult.Done done -> done.result();
            case MethodResult.Ask ask -> {
                LaneContext.checkAbilities(ask, request.client());
                throw new IllegalStateException(message.method() + " asks nothing");
            }
        };
    }
}
