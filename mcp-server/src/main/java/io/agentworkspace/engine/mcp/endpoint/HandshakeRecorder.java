package io.agentworkspace.engine.mcp.endpoint;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.credentials.KeyName;
import io.agentworkspace.engine.kernel.wire.Era;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.mcp.handshakes.HandshakeNote;
import io.agentworkspace.engine.mcp.handshakes.HandshakeNote.Holder;
import io.agentworkspace.engine.mcp.handshakes.HandshakeNote.Refusal;
import io.agentworkspace.engine.mcp.handshakes.HandshakeProblem;
import io.agentworkspace.engine.mcp.handshakes.HandshakeStore;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.refusal.JsonRpcRefusal;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Records how clients connect. A handshake is {@code initialize}, {@code server/discover}, or the first message of a
 * client that sends neither. Refusals that keep a client from connecting are recorded too.
 */
final class HandshakeRecorder {
    private static final Set<String> BEGINNINGS = Set.of("initialize", "server/discover");
    private static final int REMEMBERED = 10_000;
    private static final String FINE = "";

    private final HandshakeStore store;
    private final Clock clock;

    /** By the id of each client, whether its last handshake was in order. */
    private final Cache<UUID, Boolean> met = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterAccess(HandshakeNote.WHILE)
            .build();

    HandshakeRecorder(HandshakeStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Tells apart the clients that use the same credential. */
    private record Source(Holder holder, String said) {
        static Source of(Holder holder, HandshakeNote.Client client) {
            var said = String.join(
                    "\n",
                    client.era(),
                    String.valueOf(client.name()),
                    String.valueOf(client.version()),
                    String.valueOf(client.protocolVersion()),
                    String.valueOf(client.userAgent()));
            return new Source(holder, said);
        }

        UUID id(String more) {
            return UUID.nameUUIDFromBytes((holder + "\n" + said + "\n" + more).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Records a request that a lane served. */
    void served(McpExchange exchange) {
        var greeting = exchange.greeting();
        var error = exchange.failure();
        var flaw = Optional.ofNullable(error).flatMap(HandshakeProblem::of);
        var holder = Holder.of(exchange.caller());
        var request = exchange.request();
        if (error != null && flaw.isPresent()) {
            var refusal = new Refusal(flaw.get().word(), error.code(), String.valueOf(error.getMessage()));
            var status = exchange.response().getStatus();
            refused(holder, arrival(request), client(request, greeting), status, refusal);
        } else if (greeting != null && greeting.isHandshake()) {
            fine(holder, arrival(request), client(request, greeting));
        }
    }

    /**
     * Records a request that was refused before it reached a lane, perhaps without a valid credential. A refusal
     * that names no key is not recorded.
     */
    void refused(Request request, Problem problem) {
        var caller = RequestContext.of(request::getAttribute).caller();
        if (problem.failure() == Failure.METHOD_NOT_ALLOWED
                && request.getHeaders().contains(McpExchange.SESSION)) {
            return; // The server is stopping and has ended the stream of this session.
        }
        HandshakeProblem.of(problem).ifPresent(flaw -> {
            var holder = caller == null ? KeyName.of(request).map(Holder::named) : Optional.of(Holder.of(caller));
            var refusal = new Refusal(flaw.word(), JsonRpcRefusal.code(problem.failure()), problem.note());
            var status = problem.failure().httpStatus();
            holder.ifPresent(who -> refused(who, arrival(request), client(request, null), status, refusal));
        });
    }

    /**
     * Returns the arrival time of the request. The handshake is recorded after the response, perhaps later than that of the
     * client's next request.
     */
    private Instant arrival(Request request) {
        var elapsed = System.nanoTime() - request.getHeadersNanoTime();
        return clock.instant().minusNanos(elapsed).truncatedTo(ChronoUnit.MICROS);
    }

    /** Counts repeated refusals of the same client as one handshake. */
    private void refused(Holder holder, Instant at, HandshakeNote.Client client, int status, Refusal refusal) {
        var source = Source.of(holder, client);
        var what = refusal.flaw() + refusal.note();
        met.put(source.id(FINE), false);
        var span = at.getEpochSecond() / HandshakeNote.WHILE.toSeconds();
        store.note(
                holder,
                new HandshakeNote(source.id(what + span), source.id(FINE), false, at, 1, client, status, refusal));
    }

    private void fine(Holder holder, Instant at, HandshakeNote.Client client) {
        var source = Source.of(holder, client).id(FINE);
        var begins = BEGINNINGS.contains(String.valueOf(client.method()));
        if (!Boolean.TRUE.equals(met.asMap().put(source, true)) || begins) {
            store.note(holder, new HandshakeNote(UUID.randomUUID(), source, !begins, at, 1, client, 200, null));
        }
    }

    private static HandshakeNote.Client client(Request request, McpExchange.@Nullable Greeting greeting) {
        var message = greeting == null ? null : greeting.message();
        var info = message == null ? null : info(message);
        return new HandshakeNote.Client(
                        era(request, greeting),
                        message == null ? null : message.method(),
                        text(info, "name"),
                        text(info, "version"),
                        version(request, message),
                        request.getHeaders().get("User-Agent"),
                        limits(request))
                .shortened();
    }

    private static JsonNode info(JsonRpcMessage message) {
        var info = message.params().path("clientInfo");
        return info.isObject() ? info : message.meta().path(JsonRpcMessage.meta("clientInfo"));
    }

    private static @Nullable String text(@Nullable JsonNode object, String field) {
        var text = object == null ? "" : object.path(field).asString("").strip();
        return text.isEmpty() ? null : text;
    }

    private static @Nullable String version(Request request, @Nullable JsonRpcMessage message) {
        var meta = message == null ? null : text(message.meta(), JsonRpcMessage.meta("protocolVersion"));
        var said = message == null ? null : text(message.params(), "protocolVersion");
        if (meta != null || said != null) {
            return meta == null ? said : meta;
        }
        return request.getHeaders().get(McpExchange.VERSION);
    }

    private static String era(Request request, McpExchange.@Nullable Greeting greeting) {
        if (greeting != null) {
            return greeting.era();
        }
        var version = request.getHeaders().get(McpExchange.VERSION);
        if (LaneRouter.isStateless(version)) {
            return Era.MODERN;
        }
        var session = version != null || request.getHeaders().contains(McpExchange.SESSION);
        return session ? Era.SESSION : Era.BARE;
    }

    /** Returns the path and headers by which the client limits its tools, as they were sent. */
    private static @Nullable String limits(Request request) {
        var limits = new ArrayList<String>();
        var path = Request.getPathInContext(request);
        if (!path.equals(ToolSelection.PATH)) {
            limits.add(path);
        }
        for (var field : request.getHeaders()) {
            if (field.getName().regionMatches(true, 0, "X-MCP-", 0, 6)) {
                limits.add(field.getName() + ": " + field.getValue());
            }
        }
        return limits.isEmpty() ? null : String.join(", ", limits);
    }
}
