package io.agentworkspace.engine.a2a.outbound;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.a2a.outbound.RemoteFailure.Kind;
import io.agentworkspace.engine.kernel.outbound.OutboundFailure;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.outbound.VettedClient.Content;
import io.agentworkspace.engine.kernel.outbound.VettedClient.Reply;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client of A2A 1.0 over JSON-RPC or HTTP+JSON, as the agent's card says. Redirects are not followed, and what a server sends is limited in
 * bytes, values and time. The credential goes to the server of the card only.
 */
final class RemoteClient implements AutoCloseable {
    private static final String CARD = "/.well-known/agent-card.json";
    private static final int CARD_BYTES = 256 * 1024;
    private static final int ANSWER_BYTES = 1024 * 1024;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Some servers answer a message only when they are done with it. */
    private static final Duration SEND_LIMIT = Duration.ofMinutes(2);

    private static final int WORDS = 300;
    private static final int INTERNAL = -32603;
    private static final int OWN = -32000;

    /** How many messages of a task are read: the answer is in the last one. */
    private static final int HISTORY = 10;

    /** Reasons of refusals that may end. */
    private static final Set<String> FOR_NOW = Set.of("RATE_LIMITED", "RESOURCE_EXHAUSTED", "UNAVAILABLE");

    private static final String UNAUTHENTICATED = "UNAUTHENTICATED";

    /** The reason of a server that failed at a request, which it may have begun with. */
    private static final String FAILED = "INTERNAL";

    private final VettedClient inside;
    private final VettedClient outside;
    private final Cache<RemoteAgent, Interface> interfaces = Caffeine.newBuilder()
            .maximumSize(1_000)
            .expireAfterWrite(Duration.ofMinutes(5))
            .build();

    /** @param http may reach what the operator allowed */
    RemoteClient(VettedClient http) {
        this.inside = http;
        this.outside = http.ofPublic();
    }

    private VettedClient http(RemoteAgent agent) {
        return agent.internal() ? inside : outside;
    }

    /** How the agent is called. */
    private record Interface(URI url, boolean isRpc, String tenant) {}

    /** Sends a message, and returns what the server answers: a message or a task. */
    ObjectNode send(RemoteAgent agent, ObjectNode params) throws RemoteFailure, InterruptedException {
        params.withObject("configuration").put("historyLength", HISTORY);
        return call(agent, new Operation("SendMessage", params, "/message:send", true));
    }

    ObjectNode task(RemoteAgent agent, String id) throws RemoteFailure, InterruptedException {
        var params = Json.object().put("id", id).put("historyLength", HISTORY);
        return call(
                agent,
                new Operation("GetTask", params, "/tasks/%s?historyLength=%d".formatted(segment(id), HISTORY), false));
    }

    /** Cancels a task. */
    void cancel(RemoteAgent agent, String id) throws RemoteFailure, InterruptedException {
        call(
                agent,
                new Operation(
                        "CancelTask", Json.object().put("id", id), "/tasks/%s:cancel".formatted(segment(id)), true));
    }

    /** An operation in both bindings. */
    private record Operation(String method, ObjectNode params, String path, boolean isPost) {
        Duration limit() {
            return isPost ? SEND_LIMIT : LIMIT;
        }
    }

    private ObjectNode call(RemoteAgent agent, Operation operation) throws RemoteFailure, InterruptedException {
        var at = interfaces.getIfPresent(agent);
        try {
            if (at == null) {
                at = discover(agent);
                interfaces.put(agent, at);
            }
            return at.isRpc() ? rpc(agent, at, operation) : rest(agent, at, operation);
        } catch (RemoteFailure failed) {
            interfaces.invalidate(agent); // Its card may have changed.
            throw failed.without(agent.secret());
        }
    }

    private Interface discover(RemoteAgent agent) throws RemoteFailure, InterruptedException {
        var home = parse(agent, agent.url());
        var card = card(agent, home);
        for (var each : card.path("supportedInterfaces")) {
            var binding = each.path("protocolBinding").asString("");
            if (each.path("protocolVersion").asString("").matches("1\\.\\d+(\\.\\d+)?")
                    && (binding.equals("JSONRPC") || binding.equals("HTTP+JSON"))) {
                var url = parse(agent, each.path("url").asString(""));
                if (agent.header() != null && !url.resolve("/").equals(home.resolve("/"))) {
                    throw RemoteFailure.refused(
                            "its card names another server, which does not get the credential", url.toString());
                }
                return new Interface(
                        url, binding.equals("JSONRPC"), each.path("tenant").asString(""));
            }
        }
        throw RemoteFailure.refused("its card has no interface of A2A 1.0 over JSON-RPC or HTTP+JSON");
    }

    private ObjectNode card(RemoteAgent agent, URI home) throws RemoteFailure, InterruptedException {
        var path = home.getPath();
        var address =
                path.endsWith(".json") ? home : parse(agent, home.toString().replaceFirst("/+$", "") + CARD);
        try {
            return json(reply(agent, address, null, CARD_BYTES, LIMIT), "its card");
        } catch (RemoteFailure failed) {
            throw failed.ofCard();
        }
    }

    private URI parse(RemoteAgent agent, String url) throws RemoteFailure {
        try {
            return http(agent).parse(url);
        } catch (Problem refused) {
            throw RemoteFailure.refused(
                    "its address is not allowed", "%s: %s".formatted(Excerpt.cut(url, WORDS), refused.note()));
        }
    }

    /** Returns a text as a segment of a path. */
    private static String segment(String text) throws RemoteFailure {
        if (text.equals(".") || text.equals("..")) {
            throw RemoteFailure.unusable("it calls a task or tenant '%s'".formatted(text));
        }
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private ObjectNode rpc(RemoteAgent agent, Interface at, Operation operation)
            throws RemoteFailure, InterruptedException {
        var id = UUID.randomUUID().toString();
        var params = operation.params();
        var request = Json.object().put("jsonrpc", "2.0").put("id", id).put("method", operation.method());
        request.set("params", at.tenant().isEmpty() ? params : params.deepCopy().put("tenant", at.tenant()));
        var content = new Content("application/json", Json.bytes(request));
        var answer = json(reply(agent, at.url(), content, ANSWER_BYTES, operation.limit()), "its answer");
        if (answer.get("error") instanceof ObjectNode error) {
            var code = error.path("code").asInt();
            var words = "it refused the request: %s (%d)"
                    .formatted(Excerpt.cut(error.path("message").asString(""), WORDS), code);
            throw refusal(
                    words,
                    error.path("data"),
                    code == INTERNAL ? Kind.UNSURE : code == OWN ? Kind.NOT_TAKEN : Kind.REFUSED);
        }
        if (!answer.path("id").asString("").equals(id) || !(answer.get("result") instanceof ObjectNode result)) {
            throw RemoteFailure.unusable("its answer is no JSON-RPC response to the request");
        }
        return result;
    }

    /**
     * Returns a refusal.
     *
     * @param details whose reason decides what is known of the request
     * @param otherwise what is known without a reason
     */
    private static RemoteFailure refusal(String words, JsonNode details, Kind otherwise) {
        for (var each : details) {
            var reason = each.path("reason").asString("");
            if (!reason.isEmpty()) {
                return RemoteFailure.of(
                        switch (reason) {
                            case FAILED -> Kind.UNSURE;
                            case UNAUTHENTICATED -> Kind.WRONG;
                            default -> FOR_NOW.contains(reason) ? Kind.NOT_TAKEN : Kind.REFUSED;
                        },
                        words);
            }
        }
        return RemoteFailure.of(otherwise, words);
    }

    private ObjectNode rest(RemoteAgent agent, Interface at, Operation operation)
            throws RemoteFailure, InterruptedException {
        if (at.url().getRawQuery() != null) {
            throw RemoteFailure.refused(
                    "its card names an address with a query", at.url().toString());
        }
        var tenant = at.tenant().isEmpty() ? "" : "/" + segment(at.tenant());
        var url = parse(agent, at.url().toString().replaceFirst("/+$", "") + tenant + operation.path());
        var content = operation.isPost() ? new Content("application/a2a+json", Json.bytes(operation.params())) : null;
        return json(reply(agent, url, content, ANSWER_BYTES, operation.limit()), "its answer");
    }

    private Reply reply(RemoteAgent agent, URI url, @Nullable Content content, int most, Duration limit)
            throws RemoteFailure, InterruptedException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("A2A-Version", "1.0");
        headers.put(HttpHeader.ACCEPT.asString(), "application/a2a+json, application/json");
        if (agent.header() != null) {
            headers.put(agent.header(), agent.secret());
        }
        try {
            return http(agent).send(url, headers, content, most, limit);
        } catch (IOException failed) {
            throw RemoteFailure.of(kind(failed), Excerpt.cut(String.valueOf(failed.getMessage()), WORDS));
        }
    }

    private static Kind kind(IOException failed) {
        return !(failed.getCause() instanceof OutboundFailure known)
                ? Kind.NOT_TAKEN
                : switch (known.stage()) {
                    case RESOLVE, CONNECT, TLS -> Kind.NOT_TAKEN;
                    case ANSWER -> Kind.UNSURE;
                    case SIZE -> Kind.UNUSABLE;
                };
    }

    /** Returns the body of a response that is a JSON object. */
    private static ObjectNode json(Reply reply, String what) throws RemoteFailure {
        var status = reply.status();
        if (status / 100 == 3) {
            throw RemoteFailure.refused("%s is a redirect (%d), which is not followed".formatted(what, status));
        }
        if (status / 100 != 2) {
            throw status(reply, what);
        }
        var type = String.valueOf(reply.headers().get(HttpHeader.CONTENT_TYPE)).toLowerCase(Locale.ROOT);
        if (!type.startsWith("application/json") && !type.startsWith("application/a2a+json")) {
            throw RemoteFailure.unusable("%s is no JSON, but %s".formatted(what, Excerpt.cut(type, 80)));
        }
        if (read(reply, what) instanceof ObjectNode object) {
            return object;
        }
        throw RemoteFailure.unusable(what + " is no JSON object");
    }

    private static JsonNode read(Reply reply, String what) throws RemoteFailure {
        try {
            return Json.readForeign(reply.content());
        } catch (IllegalArgumentException wrong) {
            throw RemoteFailure.unusable(what + " " + wrong.getMessage());
        }
    }

    private static RemoteFailure status(Reply reply, String what) {
        JsonNode error = Json.object();
        try {
            error = read(reply, what).path("error");
        } catch (RemoteFailure noJson) {
            // The status says enough.
        }
        var said = Excerpt.cut(error.path("message").asString(""), WORDS);
        var words = "it answered %d%s".formatted(reply.status(), said.isEmpty() ? "" : ": " + said);
        return switch (reply.status()) {
            case 500, 502, 504 -> refusal(words, error.path("details"), Kind.UNSURE); // It may have begun.
            case 401, 403, 404 -> refusal(words, error.path("details"), Kind.WRONG);
            case 400, 405, 409, 410, 413, 415, 422, 501 -> refusal(words, error.path("details"), Kind.REFUSED);
            default -> refusal(words, error.path("details"), Kind.NOT_TAKEN);
        };
    }

    @Override
    public void close() {
        outside.close();
        inside.close();
    }
}
