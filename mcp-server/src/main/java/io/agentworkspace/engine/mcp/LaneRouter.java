package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.mcp.features.Confirmation;
import io.agentworkspace.engine.mcp.lanes.BareLane;
import io.agentworkspace.engine.mcp.lanes.Lane;
import io.agentworkspace.engine.mcp.lanes.ModernChecks;
import io.agentworkspace.engine.mcp.lanes.ModernLane;
import io.agentworkspace.engine.mcp.lanes.SessionLane;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.mcp.wire.Era;
import io.agentworkspace.engine.mcp.wire.JsonRpcMessage;
import io.agentworkspace.engine.mcp.wire.ProtocolRevision;
import io.agentworkspace.engine.mcp.wire.RpcError;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Chooses the lane of a message. The body decides; headers are only compared with it. */
final class LaneRouter {
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

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
        var inSession = exchange.header(McpExchange.SESSION) != null;
        if (body.isArray()) {
            if (!inSession) {
                throw JsonRpcMessage.invalid("batches are not supported; send one JSON-RPC 2.0 object in each request");
            }
            checked(exchange, () -> session.batch(body, exchange));
        } else {
            var message = JsonRpcMessage.of(body);
            exchange.answers(message);
            var lane = lane(message, exchange, inSession);
            exchange.greets(lane == null ? Era.SESSION : lane.era(), message);
            checked(exchange, () -> post(message, lane, exchange));
        }
        handshakes.served(exchange);
        exchange.forgetGreeting();
    }

    private void checked(McpExchange exchange, Runnable work) {
        try {
            selection.checkHeaders(exchange);
            Confirmation.checkHeader(exchange);
        } catch (RpcError error) {
            exchange.refuse(error);
            return;
        }
        work.run();
    }

    private static void post(JsonRpcMessage message, @Nullable Lane lane, McpExchange exchange) {
        if (message.isResponse() && exchange.header(McpExchange.SESSION) == null) {
            throw JsonRpcMessage.invalid("nothing here waits for a response; send a request with a method");
        }
        if (lane == null) {
            var asked = String.valueOf(exchange.header(McpExchange.VERSION));
            exchange.refuse(RpcError.unsupportedVersion(asked, ProtocolRevision.words()));
        } else {
            lane.serve(message, exchange);
        }
    }

    /** Returns null if the header names an unsupported revision. */
    private @Nullable Lane lane(JsonRpcMessage message, McpExchange exchange, boolean inSession) {
        if (message.isResponse()) {
            return session;
        }
        var version = exchange.header(McpExchange.VERSION);
        if (ModernChecks.isModern(message) || isStateless(version)) {
            return modern;
        }
        if (version != null && ProtocolRevision.find(version).isEmpty()) {
            return null;
        }
        return message.method().equals("initialize") || inSession ? session : bare;
    }

    /** Returns whether the revision is stateless. ISO dates sort chronologically as text. */
    static boolean isStateless(@Nullable String version) {
        return version != null
                && DATE.matcher(version).matches()
                && version.compareTo(ProtocolRevision.MODERN.word()) >= 0;
    }

    /** Serves the GET and DELETE requests of a session. */
    void withoutBody(McpExchange exchange) {
        session.withoutBody(exchange);
        handshakes.served(exchange);
    }
}
