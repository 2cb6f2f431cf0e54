package io.agentworkspace.engine.a2a.outbound;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
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
    private static final int WORDS = 300;
    private static final int INTERNAL = -32603;
    private static final int REFUSED = -32000;

    private final VettedClient http;
    private final Cache<RemoteAgent, Interface> interfaces = Caffeine.newBuilder()
            .maximumSize(1_000)
            .expireAfterWrite(Duration.ofMinutes(5))
            .build();

    RemoteClient(VettedClient http) {
        this.http = http;
    }

    /** How the agent is called. */
    private record Interface(URI url, boolean isRpc, String tenant) {}

    /** Sends a message, and returns what the server answers: a message or a task. */
    ObjectNode send(RemoteAgent agent, ObjectNode params) throws RemoteFailure, InterruptedException {
        return call(agent, "SendMessage", params, "/message:send", true);
    }

    ObjectNode task(RemoteAgent agent, String id) throws RemoteFailure, InterruptedException {
        var path = "/tasks/" + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
        return call(agent, "GetTask", Json.object().put("id", id), path, false);
    }

    private ObjectNode call(RemoteAgent agent, String method, ObjectNode params, String path, boolean isPost)
            throws RemoteFailure, InterruptedException {
        var at = interfaces.getIfPresent(agent);
        try {
            if (at == null) {
                at = discover(agent);
                interfaces.put(agent, at);
            }
            return at.isRpc() ? rpc(agent, at, method, params) : rest(agent, at, path, isPost ? params : null);
        } catch (RemoteFailure failed) {
            interfaces.invalidate(agent); // Its card may have changed.
            throw failed;
        }
    }

    private Interface discover(RemoteAgent agent) throws RemoteFailure, InterruptedException {
        var home = parse(agent.url());
        var address = agent.url().endsWith(".json") ? home : parse(agent.url().replaceFirst("/+$", "") + CARD);
        var card = json(reply(agent, address, null, CARD_BYTES), "its card");
        for (var each : card.path("supportedInterfaces")) {
            var binding = each.path("protocolBinding").asString("");
            if (each.path("protocolVersion").asString("").matches("1\\.\\d+(\\.\\d+)?")
                    && (binding.equals("JSONRPC") || binding.equals("HTTP+JSON"))) {
                var url = parse(each.path("url").asString(""));
                if (agent.header() != null && !url.resolve("/").equals(home.resolve("/"))) {
                    throw RemoteFailure.refused(
                            "its card names another server (%s), which does not get the credential".formatted(url));
                }
                return new Interface(
                        url, binding.equals("JSONRPC"), each.path("tenant").asString(""));
            }
        }
        throw RemoteFailure.refused("its card has no interface of A2A 1.0 over JSON-RPC or HTTP+JSON");
    }

    private URI parse(String url) throws RemoteFailure {
        try {
            return http.parse(url);
        } catch (Problem refused) {
            throw RemoteFailure.refused(
                    "its address '%s' is not allowed: %s".formatted(Excerpt.cut(url, WORDS), refused.note()));
        }
    }

    private ObjectNode rpc(RemoteAgent agent, Interface at, String method, ObjectNode params)
            throws RemoteFailure, InterruptedException {
        var id = UUID.randomUUID().toString();
        var request = Json.object().put("jsonrpc", "2.0").put("id", id).put("method", method);
        request.set("params", at.tenant().isEmpty() ? params : params.deepCopy().put("tenant", at.tenant()));
        var reply = reply(agent, at.url(), new Content("application/json", Json.bytes(request)), ANSWER_BYTES);
        var answer = json(reply, "its answer");
        if (answer.get("error") instanceof ObjectNode error) {
            throw refusal(error.path("code").asInt(), error.path("message").asString(""));
        }
        if (!answer.path("id").asString("").equals(id) || !(answer.get("result") instanceof ObjectNode result)) {
            throw RemoteFailure.refused("its answer is no JSON-RPC response to the request");
        }
        return result;
    }

    private static RemoteFailure refusal(int code, String message) {
        var words = "it refused the request: %s (%d)".formatted(Excerpt.cut(message, WORDS), code);
        return code == INTERNAL || code == REFUSED ? RemoteFailure.later(words) : RemoteFailure.refused(words);
    }

    private ObjectNode rest(RemoteAgent agent, Interface at, String path, @Nullable ObjectNode body)
            throws RemoteFailure, InterruptedException {
        var tenant = at.tenant().isEmpty() ? "" : "/" + URLEncoder.encode(at.tenant(), StandardCharsets.UTF_8);
        var url = parse(at.url().toString().replaceFirst("/+$", "") + tenant + path);
        var content = body == null ? null : new Content("application/a2a+json", Json.bytes(body));
        return json(reply(agent, url, content, ANSWER_BYTES), "its answer");
    }

    private Reply reply(RemoteAgent agent, URI url, @Nullable Content content, int most)
            throws RemoteFailure, InterruptedException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("A2A-Version", "1.0");
        headers.put(HttpHeader.ACCEPT.asString(), "application/a2a+json, application/json");
        if (agent.header() != null) {
            headers.put(agent.header(), agent.secret());
        }
        try {
            return http.send(url, headers, content, most, LIMIT);
        } catch (IOException failed) {
            throw RemoteFailure.later(Excerpt.cut(String.valueOf(failed.getMessage()), WORDS));
        }
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
            throw RemoteFailure.refused("%s is no JSON, but %s".formatted(what, Excerpt.cut(type, 80)));
        }
        if (read(reply, what) instanceof ObjectNode object) {
            return object;
        }
        throw RemoteFailure.refused(what + " is no JSON object");
    }

    private static JsonNode read(Reply reply, String what) throws RemoteFailure {
        try {
            return Json.readForeign(reply.content());
        } catch (IllegalArgumentException wrong) {
            throw RemoteFailure.refused(what + " " + wrong.getMessage());
        }
    }

    private static RemoteFailure status(Reply reply, String what) {
        var said = "";
        try {
            said = read(reply, what).at("/error/message").asString("");
        } catch (RemoteFailure noJson) {
            // The status says enough.
        }
        var words = "it answered %d%s".formatted(reply.status(), said.isEmpty() ? "" : ": " + Excerpt.cut(said, WORDS));
        return switch (reply.status()) {
            case 400, 405, 409, 410, 413, 415, 422, 501 -> RemoteFailure.refused(words);
            default -> RemoteFailure.later(words);
        };
    }

    @Override
    public void close() {
        http.close();
    }
}
