package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Json;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.node.ObjectNode;

/**
 * The lane of the contract's own client ("Tool protocol (MCP) transport"): one object in, one object out, HTTP 200 also
 * for JSON-RPC errors; no handshake, no {@code Accept}, no stream.
 */
final class BareLane implements Lane {
    private final Methods methods;
    private final List<String> names = new ArrayList<>();

    BareLane(Methods methods) {
        this.methods = methods;
        names.add("ping");
        names.addAll(methods.names(false));
    }

    @Override
    public String era() {
        return Era.BARE;
    }

    @Override
    public void serve(Message message, Exchange exchange) {
        if (message.isNotification()) {
            exchange.accept();
        } else {
            answer(message, exchange);
        }
    }

    private void answer(Message message, Exchange exchange) {
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

    private ObjectNode result(Message message, Exchange exchange) {
        if (!names.contains(message.method())) {
            throw RpcError.unknownMethod(message.method(), names, exchange.requestId());
        }
        if (message.method().equals("ping")) {
            exchange.ran("ping");
            return Json.object();
        }
        var turn = new Turn(exchange, Client.unknown(), Voice.silent(), Inputs.NONE);
        return switch (methods.serve(message.method(), message.params(), turn)) {
            case Outcome.Done done -> done.result();
            case Outcome.Ask ask -> {
                Workings.checkAbilities(ask, turn.client());
                throw new IllegalStateException(message.method() + " asks nothing");
            }
        };
    }
}
