package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Problem;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Which lane a message belongs to. The body decides; headers only cross-check. */
final class Routing {
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

    private final ModernLane modern;
    private final SessionLane session;
    private final BareLane bare;
    private final Selectable selectable;
    private final Handshakes handshakes;

    Routing(ModernLane modern, SessionLane session, BareLane bare, Selectable selectable, Handshakes handshakes) {
        this.modern = modern;
        this.session = session;
        this.bare = bare;
        this.selectable = selectable;
        this.handshakes = handshakes;
    }

    /** @throws Problem {@code bad_request} if it is not a message */
    void post(JsonNode body, Exchange exchange) {
        var inSession = exchange.header(Exchange.SESSION) != null;
        if (body.isArray()) {
            if (!inSession) {
                throw Message.invalid("batches are not supported; send one JSON-RPC 2.0 object in each request");
            }
            checked(exchange, () -> session.batch(body, exchange));
        } else {
            var message = Message.of(body);
            exchange.answers(message);
            var lane = lane(message, exchange, inSession);
            exchange.greets(lane == null ? Era.SESSION : lane.era(), message);
            checked(exchange, () -> post(message, lane, exchange));
        }
        handshakes.served(exchange);
        exchange.forgetGreeting();
    }

    private void checked(Exchange exchange, Runnable work) {
        try {
            selectable.checkHeaders(exchange);
            Confirmation.checkHeader(exchange);
        } catch (RpcError error) {
            exchange.refuse(error);
            return;
        }
        work.run();
    }

    private static void post(Message message, @Nullable Lane lane, Exchange exchange) {
        if (message.isResponse() && exchange.header(Exchange.SESSION) == null) {
            throw Message.invalid("nothing here waits for a response; send a request with a method");
        }
        if (lane == null) {
            var asked = String.valueOf(exchange.header(Exchange.VERSION));
            exchange.refuse(RpcError.unsupportedVersion(asked, Revision.words()));
        } else {
            lane.serve(message, exchange);
        }
    }

    /** Null if the header names an unsupported revision. */
    private @Nullable Lane lane(Message message, Exchange exchange, boolean inSession) {
        if (message.isResponse()) {
            return session;
        }
        var version = exchange.header(Exchange.VERSION);
        if (ModernChecks.isModern(message) || isStateless(version)) {
            return modern;
        }
        if (version != null && Revision.find(version).isEmpty()) {
            return null;
        }
        return message.method().equals("initialize") || inSession ? session : bare;
    }

    /** ISO dates sort chronologically as text. */
    static boolean isStateless(@Nullable String version) {
        return version != null && DATE.matcher(version).matches() && version.compareTo(Revision.MODERN.word()) >= 0;
    }

    /** GET and DELETE requests of a session. */
    void withoutBody(Exchange exchange) {
        session.withoutBody(exchange);
        handshakes.served(exchange);
    }
}
