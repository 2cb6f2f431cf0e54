package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.content.Confirmation;
import io.agentworkspace.engine.mcp.lanes.BareLane;
import io.agentworkspace.engine.mcp.lanes.Lane;
import io.agentworkspace.engine.mcp.lanes.ModernChecks;
import io.agentworkspace.engine.mcp.lanes.ModernLane;
import io.agentworkspace.engine.mcp.lanes.SessionLane;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.model.problem.Problem;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Chooses the lane of a message. The body decides; headers are only compared with it. */
final class LaneRouter {
    private final ModernLane modern;
    private final SessionLane session;
    private final BareLane bare;
    private final SelectionCheck selection;
    private final HandshakeRecorder handshakes;

    LaneRouter(
            ModernLane modern,
            SessionLane session,
            BareLane bare,
            SelectionCheck selection,
            HandshakeRecorder handshakes) {
        this.modern = modern;
        this.session = session;
        this.bare = bare;
        this.selection = selection;
        this.handshakes = handshakes;
    }

    /** @throws Problem {@code bad_request} if it is not a message */
    void post(JsonNode body, McpExchange exchange) {
        if (body.isArray()) {
            postBatch(body, exchange);
        } else {
            var message = JsonRpcMessage.of(body);
            exchange.answers(message);
            var lane = lane(message, exchange);
            exchange.greets(lane.era(), message);
            checked(exchange, isVersionNegotiated(message), () -> post(message, lane, exchange));
        }
        handshakes.served(exchange);
        exchange.forgetGreeting();
    }

    private void postBatch(JsonNode body, McpExchange exchange) {
        if (exchange.header(McpExchange.SESSION) == null) {
            throw JsonRpcMessage.invalid("batches are not supported; send one JSON-RPC 2.0 object in each request");
        }
        checked(exchange, false, () -> session.batch(body, exchange));
    }

    private void checked(McpExchange exchange, boolean isVersionNegotiated, Runnable work) {
        try {
            if (!isVersionNegotiated) {
                checkVersion(exchange);
            }
            selection.checkHeaders(exchange);
            Confirmation.checkHeader(exchange);
        } catch (RpcError error) {
            exchange.refuse(error);
            return;
        }
        work.run();
    }

    /**
     * Returns whether the body of a message agrees on the version, or names it. The header of {@code initialize} does
     * not matter: a client may send the version that it proposes, which the server need not know.
     */
    private static boolean isVersionNegotiated(JsonRpcMessage message) {
        return message.method().equals("initialize") || ModernChecks.isModern(message);
    }

    /** @throws RpcError with status 400 if the header names an unsupported revision */
    private static void checkVersion(McpExchange exchange) {
        var version = exchange.header(McpExchange.VERSION);
        if (version != null && isUnknown(version)) {
            throw RpcError.unsupportedVersion(version, ProtocolRevision.words());
        }
    }

    private static void post(JsonRpcMessage message, Lane lane, McpExchange exchange) {
        if (message.isResponse() && exchange.header(McpExchange.SESSION) == null) {
            throw JsonRpcMessage.invalid("nothing here waits for a response; send a request with a method");
        }
        lane.serve(message, exchange);
    }

    private Lane lane(JsonRpcMessage message, McpExchange exchange) {
        if (ModernChecks.isModern(message)) {
            return modern;
        }
        if (message.isResponse() || message.method().equals("initialize")) {
            return session;
        }
        var version = exchange.header(McpExchange.VERSION);
        if (isStateless(version)) {
            return modern;
        }
        var isOfSession = exchange.header(McpExchange.SESSION) != null || isUnknown(version);
        return isOfSession ? session : bare;
    }

    private static boolean isUnknown(@Nullable String version) {
        return version != null && ProtocolRevision.find(version).isEmpty();
    }

    /** Returns whether the header names the revision without sessions. */
    static boolean isStateless(@Nullable String version) {
        return ProtocolRevision.MODERN.word().equals(version);
    }

    /** Serves the GET and DELETE requests of a session. */
    void withoutBody(McpExchange exchange) {
        checked(exchange, false, () -> session.withoutBody(exchange));
        handshakes.served(exchange);
    }
}
