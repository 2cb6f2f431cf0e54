package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.Era;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.Params;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.kernel.wire.RequestNotifier;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.methods.ResourceMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The lane of clients that begin with {@code initialize}: 2025-11-25, 2025-06-18 and 2025-03-26. The session is in its
 * signed id; later changes to it are in the database.
 */
public final class SessionLane implements Lane {
    private static final List<String> OWN =
            List.of("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe");

    private final McpMethods methods;
    private final LaneContext lane;
    private final SessionWork work;
    private final SessionStreams streams;
    private final List<String> names;

    public SessionLane(McpMethods methods, LaneContext lane, SessionWork work, SessionStreams streams) {
        this.methods = methods;
        this.lane = lane;
        this.work = work;
        this.streams = streams;
        this.names = new ArrayList<>(OWN);
        names.addAll(methods.names(false));
    }

    @Override
    public String era() {
        return Era.SESSION;
    }

    @Override
    public void serve(JsonRpcMessage message, McpExchange exchange) {
        try {
            if (message.method().equals("initialize")) {
                begin(message, exchange);
            } else {
                serve(message, visit(exchange));
            }
        } catch (RpcError error) {
            exchange.refuse(error);
        }
    }

    private void begin(JsonRpcMessage message, McpExchange exchange) {
        if (message.id() == null) {
            throw RpcError.invalidRequest(Problem.missing("id").because(Cause.MESSAGE), exchange.requestId());
        }
        exchange.ran("initialize");
        ObjectNode capabilities;
        ProtocolRevision revision;
        try {
            revision = ProtocolRevision.negotiated(Params.text(message.params(), "protocolVersion"));
            capabilities = Params.object(message.params(), "capabilities");
        } catch (Problem problem) {
            exchange.refuse(RpcError.invalidParams(problem.because(Cause.INITIALIZE), exchange.requestId()));
            return;
        }
        var name = ClientInfo.name(message.params().get("clientInfo"));
        exchange.comesFrom(name);
        var id = lane.sessionIds().begin(exchange.caller(), ClientInfo.of(revision, capabilities), name);
        exchange.response().getHeaders().put(McpExchange.SESSION, id);
        exchange.reply(message.answer(welcome(revision, exchange)));
    }

    private ObjectNode welcome(ProtocolRevision revision, McpExchange exchange) {
        var result = Json.object().put("protocolVersion", revision.word());
        var capabilities = methods.capabilities();
        var extensions = methods.declared(false);
        if (!extensions.isEmpty()) {
            capabilities.set("extensions", extensions);
        }
        result.set("capabilities", capabilities);
        result.set("serverInfo", methods.serverInfo());
        return result.put("instructions", methods.offer().instructions().instructions(exchange));
    }

    /** @throws RpcError with status 404 if the session belongs to another caller or has ended */
    SessionVisit visit(McpExchange exchange) {
        var id = exchange.header(McpExchange.SESSION);
        if (id == null) {
            throw RpcError.invalidRequest(
                    JsonRpcMessage.invalid("the header Mcp-Session-Id is missing; send initialize to begin a session"),
                    exchange.requestId());
        }
        var session = lane.sessionIds()
                .find(id, exchange.caller())
                .orElseThrow(() -> RpcError.sessionNotFound(exchange.requestId()));
        var state = lane.sessions().state(session.handle());
        if (state.ended()) {
            throw RpcError.sessionNotFound(exchange.requestId());
        }
        checkVersion(exchange, session);
        exchange.comesFrom(session.clientName());
        return new SessionVisit(exchange, session, state);
    }

    private static void checkVersion(McpExchange exchange, McpSession session) {
        var said = exchange.header(McpExchange.VERSION);
        var agreed = session.client().revision().word();
        if (said != null && !said.equals(agreed)) {
            throw RpcError.invalidRequest(
                    JsonRpcMessage.invalid(
                                    "the header MCP-Protocol-Version must be %s, as agreed when the session began"
                                            .formatted(agreed))
                            .because(Cause.SESSION_VERSION),
                    exchange.requestId());
        }
    }

    private void serve(JsonRpcMessage message, SessionVisit visit) {
        if (message.isResponse() || message.isNotification()) {
            work.take(message, visit);
            visit.exchange().accept();
        } else if (OWN.contains(message.method())) {
            visit.exchange().ran(message.method());
            visit.exchange().reply(own(message, visit));
        } else if (!names.contains(message.method())) {
            var error = RpcError.unknownMethod(
                    message.method(), names, visit.exchange().requestId());
            visit.exchange().reply(error.json(message.id()));
        } else {
            work.serve(message, visit);
        }
    }

    /** Responds to a method that exists only in sessions. */
    private ObjectNode own(JsonRpcMessage message, SessionVisit visit) {
        var request = visit.quietTurn();
        try {
            Params.checkTexts(message.method(), message.params());
            switch (message.method()) {
                case "logging/setLevel" ->
                    lane.sessions().logLevel(visit.session().handle(), level(message));
                case "resources/subscribe" -> subscribe(ResourceMethods.uri(message.params()), visit, request);
                case "resources/unsubscribe" ->
                    lane.sessions()
                            .unsubscribe(
                                    visit.session().handle(),
                                    ResourceMethods.uri(message.params()),
                                    methods.resources()::canonical);
                default -> {}
            }
            return message.answer(Json.object());
        } catch (Problem problem) {
            return RpcError.of(problem, request.requestId()).json(message.id());
        } catch (RpcError error) {
            return error.json(message.id());
        }
    }

    private static String level(JsonRpcMessage message) {
        var level = Params.text(message.params(), "level");
        if (!RequestNotifier.LEVELS.contains(level)) {
            throw Problem.invalid("params.level", "must be one of " + String.join(", ", RequestNotifier.LEVELS));
        }
        return level;
    }

    private void subscribe(String uri, SessionVisit visit, McpRequest request) {
        if (methods.resources().changes(uri, request).isEmpty()) {
            throw RpcError.resourceNotFound(uri, request.client().revision(), request.requestId());
        }
        lane.sessions().subscribe(visit.session().handle(), uri, methods.resources()::canonical);
    }

    /** Responds to a batch with an array. Only clients of 2025-03-26 send batches. */
    public void batch(JsonNode messages, McpExchange exchange) {
        SessionVisit visit;
        try {
            visit = visit(exchange);
            checkBatch(messages, visit);
        } catch (RpcError error) {
            exchange.refuse(error);
            return;
        }
        var responses = JsonNodeFactory.instance.arrayNode();
        var budget = exchange.budget();
        budget.spend(ResponseBudget.REFUSALS);
        var isFirst = true; // The request has already been counted as one call.
        for (var json : messages) {
            var response = ofBatch(json, isFirst, visit);
            isFirst = false;
            if (response != null) {
                responses.add(response);
                budget.spend(ResponseBudget.size(response));
            }
        }
        if (responses.isEmpty()) {
            exchange.accept();
        } else {
            exchange.reply(responses);
        }
    }

    private static void checkBatch(JsonNode messages, SessionVisit visit) {
        var fine = visit.session().client().revision() == ProtocolRevision.MARCH_2025
                && !messages.isEmpty()
                && messages.size() <= 50;
        if (!fine) {
            throw RpcError.invalidRequest(
                    JsonRpcMessage.invalid("batches are for sessions of 2025-03-26, with 1 to 50 messages in each"),
                    visit.exchange().requestId());
        }
    }

    /** Serves one message of a batch. What is no message is refused alone, so that the others are served. */
    private @Nullable ObjectNode ofBatch(JsonNode json, boolean isFirst, SessionVisit visit) {
        JsonRpcMessage message;
        try {
            message = JsonRpcMessage.of(json);
        } catch (Problem problem) {
            return RpcError.invalidRequest(problem, visit.exchange().requestId())
                    .json(JsonRpcMessage.findId(json));
        }
        return isFirst ? one(message, visit) : another(message, visit);
    }

    /** Serves one message of a batch. It counts against the rate limit as if sent alone. */
    private @Nullable ObjectNode another(JsonRpcMessage message, SessionVisit visit) {
        try {
            visit.exchange().countAnother();
        } catch (Problem refused) {
            return message.isResponse() || message.isNotification()
                    ? null
                    : RpcError.of(refused, visit.exchange().requestId()).json(message.id());
        }
        return one(message, visit);
    }

    private @Nullable ObjectNode one(JsonRpcMessage message, SessionVisit visit) {
        if (message.isResponse() || message.isNotification()) {
            take(message, visit);
            return null;
        } else if (visit.exchange().budget().left() < ResponseBudget.LEAST) {
            return usedUp(visit).json(message.id());
        }
        return OWN.contains(message.method()) ? own(message, visit) : work.answer(message, visit);
    }

    /** Handles a message that has no response in the array, even if it cannot be used. */
    private void take(JsonRpcMessage message, SessionVisit visit) {
        try {
            work.take(message, visit);
        } catch (Problem unusable) {
            // The question that it should answer stays open.
        }
    }

    private static RpcError usedUp(SessionVisit visit) {
        var problem = new Problem(
                Failure.TOO_LARGE,
                "this call did not run: the responses before it fill the %,d bytes of JSON that one batch may carry; send it again in another batch"
                        .formatted(ResponseBudget.ANSWER));
        return RpcError.of(problem, visit.exchange().requestId());
    }

    /** Opens the stream of a session, or ends the session. */
    public void withoutBody(McpExchange exchange) {
        try {
            var visit = visit(exchange);
            if (exchange.request().getMethod().equals("DELETE")) {
                lane.sessions().end(visit.session().handle(), lane.now());
                exchange.end(HttpStatus.NO_CONTENT_204);
            } else {
                streams.open(visit);
            }
        } catch (RpcError error) {
            exchange.refuse(error);
        }
    }
}
