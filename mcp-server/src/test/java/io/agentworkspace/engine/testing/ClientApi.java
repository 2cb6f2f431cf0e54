package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.openapi.Contract;
import io.agentworkspace.engine.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** The two endpoints, as clients use them over HTTP. */
public enum ClientApi {
    MCP {
        @Override
        public Reply call(String url, String key, String service, ObjectNode arguments) {
            var rpc = Json.object()
                    .put("jsonrpc", "2.0")
                    .put("id", UUID.randomUUID().toString())
                    .put("method", "tools/call");
            rpc.putObject("params").put("name", service).set("arguments", arguments);
            var answer = Json.readObject(
                    post(url + "/mcp", key, Json.bytes(rpc), Map.of()).body());
            return new Reply(McpResult.ofResponse(answer));
        }
    },
    REST {
        @Override
        public Reply call(String url, String key, String service, ObjectNode arguments) {
            var answer = post(url + path(service), key, Json.bytes(arguments), Map.of());
            var reply = new Reply(Json.readObject(answer.body()));
            if (answer.statusCode() != reply.number("/status/http_code")) {
                throw new AssertionError("status " + answer.statusCode() + " for " + reply);
            }
            var faults = Contract.at(url).faults(service, reply.envelope());
            if (!faults.isEmpty()) {
                throw new AssertionError("not as the OpenAPI document says: %s in %s".formatted(faults, reply));
            }
            return reply;
        }
    };

    private static final Map<String, String> FAMILIES =
            Map.of("AP", "agent", "DM", "domain", "MB", "bank", "ZN", "zone", "US", "user", "TK", "task");
    /** The tools of these families that have their own route. */
    private static final Set<String> OWN = Set.of("MB_Files", "MB_Evaluate", "MB_Export", "MB_Import");

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofMinutes(2)).build();

    public abstract Reply call(String url, String key, String service, ObjectNode arguments);

    /** Written out here and not taken from the catalogue, since legacy clients have these paths in their code. */
    public static String path(String service) {
        var family = FAMILIES.get(service.substring(0, 2));
        if (family == null || OWN.contains(service)) {
            return "/api/mcp/tools/%s/invoke".formatted(service); // Its own route is not a command route.
        }
        return "%s/%s/%s".formatted(Route.COMMANDS, family, service.substring(3).toLowerCase(Locale.ROOT));
    }

    public static HttpResponse<byte[]> post(String url, String key, byte[] body, Map<String, String> headers) {
        var all = new HashMap<>(Map.of("Content-Type", "application/json", "X-Api-Key", key));
        all.putAll(headers);
        var response = LoadClient.post(url, all, body);
        Wire.look(url, headers, body, response.body());
        return response;
    }

    public static HttpResponse<byte[]> post(String url, String key, String body) {
        return post(url, key, body.getBytes(StandardCharsets.UTF_8), Map.of());
    }

    public static HttpResponse<byte[]> send(HttpRequest request) {
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
