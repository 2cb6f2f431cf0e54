package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.accounts.Accounts;
import io.agentworkspace.engine.integrations.upstreams.client.CallOwner;
import io.agentworkspace.engine.integrations.upstreams.client.ClientTurn;
import io.agentworkspace.engine.integrations.upstreams.client.Connections;
import io.agentworkspace.engine.integrations.upstreams.client.OpenCall;
import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamClient;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.integrations.upstreams.texts.ForeignMeta;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.ForeignTool;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Sends requests to upstream servers, within limits, and not while a server is down. */
final class UpstreamCalls {
    /** How many calls of one server run at once, on each replica, and how many of one credential. */
    static final int EACH = 64;

    static final int EACH_KEY = 16;

    private static final int LONGEST_WORDS = 200;
    private static final Duration SOON = Duration.ofSeconds(1);

    private final Connections connections;
    private final UpstreamStore store;
    private final CallRelay relay;
    private final String baseUrl;
    private final Clock clock;
    private final Map<Place, UpstreamHealth> health = new ConcurrentHashMap<>();
    private final Map<Place, Semaphore> places = new ConcurrentHashMap<>();
    private final Map<Place, Integer> running = new ConcurrentHashMap<>();

    /** A server, and a credential that calls it; an empty text for all of them. */
    private record Place(long tenant, String name, String principal) {}

    /**
     * A tool to call.
     *
     * @param tool the name that the server gives it
     */
    record Called(Target target, String tool, Definition definition, boolean isIdempotent) {}

    /**
     * A request to send.
     *
     * @param hint what shows the arguments that it takes
     */
    record Outgoing(
            Target target,
            String method,
            ObjectNode params,
            Map<String, String> headers,
            boolean isIdempotent,
            String hint) {}

    /**
     * @param relay goes on with calls that wait on other replicas
     * @param baseUrl the address of this server for browsers
     */
    public UpstreamCalls(Connections connections, UpstreamStore store, CallRelay relay, String baseUrl, Clock clock) {
        this.relay = relay;
        this.baseUrl = baseUrl;
        this.connections = connections;
        this.store = store;
        this.clock = clock;
    }

    ForeignTool.Result call(Called called, ForeignTool.Arguments in, Call call) {
        var params = Json.object().put("name", called.tool());
        var arguments = called.definition().arguments(in.arguments());
        params.set("arguments", arguments);
        var outgoing = new Outgoing(
                called.target(),
                "tools/call",
                params,
                ParamHeaders.of(called.definition().json().path("inputSchema"), arguments),
                called.isIdempotent(),
                "describe_tool shows what %s takes".formatted(called.tool()));
        var result = send(outgoing, call);
        OutputCheck.mismatch(result, called.definition().json().path("outputSchema"))
                .ifPresent(wrong -> {
                    throw Problem.conflict(
                            "the upstream server '%s' made the call, but its answer contradicts the outputSchema of %s: %s"
                                    .formatted(
                                            called.target().name(), called.tool(), Excerpt.cut(wrong, LONGEST_WORDS)));
                });
        return new ForeignTool.Result(result);
    }

    /** @throws Problem if there is no result, also if there are questions for the client */
    ObjectNode send(Outgoing outgoing, Call call) {
        var owner = Connections.owner(outgoing.target(), call.caller());
        if (connections.open(owner, call.progress().input().state()).isPresent()) {
            return complete(outgoing, answered(outgoing, call), call); // It still has its place.
        }
        var target = outgoing.target();
        if (call.progress().input().state() != null && !Connections.isStateless(target)) {
            return complete(outgoing, elsewhere(outgoing, owner, call), call);
        }
        var own = new Place(target.tenant(), target.name(), call.caller().principal());
        enter(own);
        ObjectNode result = null;
        try {
            health(target).admit(target.name());
            result = answered(outgoing, call);
        } finally {
            waiting(result, owner).ifPresentOrElse(open -> open.whenEnded(() -> leave(own)), () -> leave(own));
        }
        return complete(outgoing, result, call);
    }

    /** Returns what comes of a call that waits on another replica, and has its place there besides the one here. */
    private ObjectNode elsewhere(Outgoing outgoing, CallOwner owner, Call call) {
        var target = outgoing.target();
        var input = call.progress().input();
        var own = new Place(target.tenant(), target.name(), call.caller().principal());
        enter(own);
        try {
            return relay.resume(owner, Objects.requireNonNull(input.state()), input.answers(), target.limit());
        } catch (UpstreamFailure e) {
            throw refused(outgoing, e, call);
        } finally {
            leave(own);
        }
    }

    private ObjectNode complete(Outgoing outgoing, ObjectNode result, Call call) {
        ForeignMeta.clean(result);
        if (ClientTurn.asks(result)) {
            throw ClientTurn.question(
                    outgoing.target().name(),
                    result,
                    call,
                    waiting(result, Connections.owner(outgoing.target(), call.caller()))
                            .orElse(null));
        }
        return result;
    }

    /** Returns the call that its server keeps open with these questions. */
    private Optional<OpenCall> waiting(@Nullable ObjectNode result, CallOwner owner) {
        return result != null && ClientTurn.asks(result)
                ? connections.open(owner, result.path("requestState").asString(""))
                : Optional.empty();
    }

    private void enter(Place own) {
        var ofServer = places.computeIfAbsent(all(own), _ -> new Semaphore(EACH));
        if (!ofServer.tryAcquire()) {
            throw busy(own, EACH);
        }
        if (running.merge(own, 1, Integer::sum) > EACH_KEY) {
            leave(own);
            throw busy(own, EACH_KEY);
        }
    }

    private static Place all(Place own) {
        return new Place(own.tenant(), own.name(), "");
    }

    private static Problem busy(Place own, int most) {
        return Problem.rateLimited(
                "%d calls of the upstream server '%s' are running, which is the limit: wait for one to end"
                        .formatted(most, own.name()),
                SOON);
    }

    private void leave(Place own) {
        running.computeIfPresent(own, (_, count) -> count == 1 ? null : count - 1);
        places.computeIfAbsent(all(own), _ -> new Semaphore(EACH)).release();
    }

    private UpstreamHealth health(Target target) {
        return health.computeIfAbsent(new Place(target.tenant(), target.name(), ""), _ -> new UpstreamHealth(clock));
    }

    private ObjectNode answered(Outgoing outgoing, Call call) {
        var startNanos = System.nanoTime();
        try {
            return attempt(outgoing, call);
        } catch (UpstreamFailure e) {
            var isQuick =
                    System.nanoTime() - startNanos < outgoing.target().limit().toNanos() / 2;
            var isResumed = call.progress().input().state() != null;
            if (e.kind() != Kind.UNREACHABLE || !outgoing.isIdempotent() || !isQuick || isResumed) {
                throw refused(outgoing, e, call);
            }
        }
        try {
            return attempt(outgoing, call);
        } catch (UpstreamFailure e) {
            throw refused(outgoing, e, call);
        }
    }

    private ObjectNode attempt(Outgoing outgoing, Call call) {
        var target = outgoing.target();
        var health = health(target);
        var startNanos = System.nanoTime();
        try {
            UpstreamClient client = connections.client(target, call.caller());
            var params = ClientTurn.params(outgoing.params(), call.progress().input(), client.era());
            var result = client.request(outgoing.method(), params, outgoing.headers(), call.progress(), target.limit());
            if (!ClientTurn.asks(result) && !isResult(outgoing.method(), result)) {
                throw new UpstreamFailure(Kind.PROTOCOL, "its answer has no content");
            }
            health.succeeded(System.nanoTime() - startNanos);
            return result;
        } catch (UpstreamFailure e) {
            var isOfOneUser = e.kind() == Kind.CREDENTIAL && target.credential().perUser();
            if (e.isOutage() && !isOfOneUser) {
                health.failed(e.words());
            } else {
                health.ended();
            }
            throw e;
        } catch (RuntimeException e) {
            health.ended();
            throw e;
        }
    }

    private static boolean isResult(String method, ObjectNode result) {
        return switch (method) {
            case "resources/read" -> result.path("contents").isArray();
            case "prompts/get" -> result.path("messages").isArray();
            case "completion/complete" -> result.at("/completion/values").isArray();
            default ->
                result.path("content").isArray()
                        || result.path("structuredContent").isObject();
        };
    }

    private Problem refused(Outgoing outgoing, UpstreamFailure e, Call call) {
        var name = outgoing.target().name();
        if (e.kind() == Kind.CREDENTIAL && outgoing.target().credential().hasAccounts()) {
            return Problem.conflict(
                    "the upstream server '%s' was not called with your account: %s; if it happens again, connect it again at %s"
                            .formatted(name, e.words(), Accounts.page(baseUrl, name)));
        }
        return switch (e.kind()) {
            case ACCOUNT -> unconnected(name, e, call);
            case ARGUMENTS ->
                Problem.invalid(
                        "arguments",
                        "are refused by the upstream server '%s': %s; %s".formatted(name, e.words(), outgoing.hint()));
            case ERROR ->
                new Problem(Failure.CONFLICT, "the upstream server '%s' refused it: %s".formatted(name, e.words()));
            case UNANSWERED ->
                Problem.conflict(
                        "the upstream server '%s' asked something, but %s; whether the call was carried out is unknown, so check before you repeat it"
                                .formatted(name, e.words()));
            case CANCELLED -> Problem.conflict("the call was cancelled; whether it was carried out is unknown");
            default ->
                Problem.unavailable(
                        "the upstream server '%s' failed: %s%s"
                                .formatted(
                                        name,
                                        e.words(),
                                        outgoing.isIdempotent()
                                                ? "; try again later"
                                                : "; whether the call was carried out is unknown, so check before you repeat it"),
                        SOON);
        };
    }

    /** Returns the refusal of a call by a user who has no account there. A client that opens links asks them to connect one first. */
    private Problem unconnected(String name, UpstreamFailure e, Call call) {
        var page = Accounts.page(baseUrl, name);
        call.progress().openLink("To use the server '%s', connect an account of yours there.".formatted(name), page);
        return Problem.conflict("the upstream server '%s' was not called: %s, then make the call again"
                        .formatted(name, e.words()))
                .with("connect_url", page);
    }

    /** Writes what was seen of the servers' health. */
    public void flush() {
        var seen = health.entrySet().stream()
                .map(entry -> entry.getValue()
                        .unwritten(entry.getKey().tenant(), entry.getKey().name()))
                .filter(Objects::nonNull)
                .toList();
        if (!seen.isEmpty()) {
            store.writeHealth(seen);
        }
    }

    /** Closes what is held open for other servers of the tenant, and for these as they were written before. */
    void keepOnly(long tenant, List<Target> servers) {
        connections.keepOnly(tenant, servers);
    }

    /** Forgets how a server did, since it was changed or reached. */
    void forget(long tenant, String name) {
        health.remove(new Place(tenant, name, ""));
    }

    /** The headers that repeat arguments, where the server's schema declares {@code x-mcp-header}. */
    private static final class ParamHeaders {
        static Map<String, String> of(JsonNode schema, JsonNode arguments) {
            var headers = new LinkedHashMap<String, String>();
            collect(schema, arguments, headers);
            return headers;
        }

        private static void collect(JsonNode schema, JsonNode arguments, Map<String, String> headers) {
            schema.path("properties").properties().forEach(property -> {
                var value = arguments.path(property.getKey());
                var header = property.getValue().path("x-mcp-header").asString("");
                if (!header.matches("[A-Za-z0-9-]{1,64}")) {
                    collect(property.getValue(), value, headers);
                } else if (value.isValueNode() && !value.isNull()) {
                    headers.put("Mcp-Param-" + header, Connections.header(value.asString()));
                }
            });
        }
    }
}
