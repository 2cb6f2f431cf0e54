package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.Era;
import io.agentworkspace.engine.kernel.wire.InputResponses;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.kernel.wire.RequestNotifier;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The lane of the stateless revision 2026-07-28. Every request is self-contained, so any replica can serve it. A client
 * that disconnects cancels its request.
 */
public final class ModernLane implements Lane {
    private static final String DISCOVER = "server/discover";
    private static final String LISTEN = "subscriptions/listen";
    private static final Set<String> SEVERAL_ROUNDS = Set.of("tools/call", "prompts/get", "resources/read");
    /** The instructions are for the caller alone, and say what waits. */
    private static final MethodResult.Caching A_MINUTE = new MethodResult.Caching(60_000, false);

    private final McpMethods methods;
    private final ModernChecks checks;
    private final LaneContext lane;
    private final List<String> names;

    public ModernLane(McpMethods methods, LaneContext lane) {
        this.methods = methods;
        this.checks = new ModernChecks(methods);
        this.lane = lane;
        this.names = new ArrayList<>(methods.names(true));
        names.add(DISCOVER);
        names.add(LISTEN);
    }

    @Override
    public String era() {
        return Era.MODERN;
    }

    @Override
    public void serve(JsonRpcMessage message, McpExchange exchange) {
        try {
            var client = checks.client(message, exchange);
            if (message.isNotification()) {
                exchange.accept();
            } else if (!names.contains(message.method())) {
                throw RpcError.unknownMethod(message.method(), names, exchange.requestId());
            } else {
                answer(message, exchange, client);
            }
        } catch (RpcError error) {
            exchange.refuse(error);
        }
    }

    private void answer(JsonRpcMessage message, McpExchange exchange, ClientInfo client) {
        var quiet = new McpRequest(exchange, client, RequestNotifier.silent(), InputResponses.NONE);
        checks.arguments(message, exchange, quiet);
        switch (message.method()) {
            case DISCOVER -> {
                exchange.ran(DISCOVER);
                exchange.reply(message.answer(complete(Json.object(), discovered(exchange), A_MINUTE)));
            }
            case LISTEN -> {
                exchange.ran(LISTEN);
                listen(message, exchange, quiet);
            }
            default -> work(message, exchange, client);
        }
    }

    private void listen(JsonRpcMessage message, McpExchange exchange, McpRequest request) {
        try {
            lane.listen().serve(message, exchange, request);
        } catch (Problem problem) {
            throw RpcError.of(problem, exchange.requestId());
        }
    }

    private void work(JsonRpcMessage message, McpExchange exchange, ClientInfo client) {
        var inputs = SEVERAL_ROUNDS.contains(message.method()) ? inputs(message, exchange) : InputResponses.NONE;
        var reply = lane.begin(exchange);
        try {
            var notifier = RequestNotifier.of(message, ModernChecks.logLevel(message), reply::send, reply::start);
            var outcome = methods.serve(
                    message.method(),
                    message.params(),
                    new McpRequest(exchange, client, notifier, inputs, message.meta()));
            reply.finish(HttpStatus.OK_200, message.answer(result(outcome, message, exchange, client)));
        } catch (RpcError error) {
            reply.finish(exchange.status(error, error.status()), error.json(message.id()));
        } catch (RuntimeException | Error defect) {
            reply.fail(defect);
        }
    }

    /** Returns the client's answers in this round, and the state that it carried. */
    private InputResponses inputs(JsonRpcMessage message, McpExchange exchange) {
        var id = exchange.requestId();
        try {
            var answers = InputResponses.answers(message.params().get("inputResponses"));
            var state = message.params().get("requestState");
            if (state == null || state.isNull()) {
                return new InputResponses(answers, null);
            }
            return lane.states()
                    .open(state.asString(""), message, exchange.caller())
                    .map(opened -> new InputResponses(answers, opened))
                    .orElseThrow(() -> RpcError.invalidParams(
                            Problem.invalid(
                                    "params.requestState",
                                    "is unknown or has expired: send the request again without it"),
                            id));
        } catch (Problem problem) {
            throw RpcError.invalidParams(problem, id);
        }
    }

    private ObjectNode result(MethodResult outcome, JsonRpcMessage message, McpExchange exchange, ClientInfo client) {
        return switch (outcome) {
            case MethodResult.Done done -> {
                var caching = done.caching() == null && message.method().equals("resources/read")
                        ? MethodResult.Caching.NONE
                        : done.caching();
                yield complete(Json.object(), done.result(), caching);
            }
            case MethodResult.Ask ask -> inputRequest(ask, message, exchange, client);
        };
    }

    private ObjectNode inputRequest(
            MethodResult.Ask ask, JsonRpcMessage message, McpExchange exchange, ClientInfo client) {
        if (!SEVERAL_ROUNDS.contains(message.method())) {
            throw new IllegalStateException(message.method() + " asks back, which the protocol does not allow");
        }
        LaneContext.checkAbilities(ask, client);
        var result = Json.object().put("resultType", "input_required");
        var questions = result.putObject("inputRequests");
        ask.questions().forEach(questions::set);
        if (ask.state() != null) {
            result.put("requestState", lane.states().seal(ask.state(), message, exchange.caller()));
        }
        return complete(result, Json.object(), null);
    }

    /** Adds the fields that every result of this revision has. */
    private ObjectNode complete(ObjectNode result, ObjectNode own, MethodResult.@Nullable Caching caching) {
        if (!result.has("resultType")) {
            result.put("resultType", "complete");
        }
        result.setAll(own);
        if (caching != null) {
            result.put("ttlMs", caching.ttlMillis()).put("cacheScope", caching.shared() ? "public" : "private");
        }
        var meta = own.get(JsonRpcMessage.META) instanceof ObjectNode object ? object.deepCopy() : Json.object();
        meta.set(JsonRpcMessage.meta("serverInfo"), methods.serverInfo());
        result.set(JsonRpcMessage.META, meta);
        return result;
    }

    private ObjectNode discovered(McpExchange exchange) {
        var result = Json.object();
        ProtocolRevision.words().forEach(result.putArray("supportedVersions")::add);
        var capabilities = methods.capabilities();
        capabilities.set("extensions", methods.declared(true));
        result.set("capabilities", capabilities);
        return result.put("instructions", methods.offer().instructions().instructions(exchange));
    }
}
