package io.agentworkspace.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.openapi.Contract;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.KeptAnswers;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Records the responses of routes that run no tool, and of requests that are refused, for the OpenAPI document. */
class RouteAnswersTest {
    private static final TestTenant TENANT = new TestTenant();
    private static final String KEY = TENANT.key(ClientApi.REST, "ada", Role.OWNER, List.of("*"));

    private static final String CLIENT = TENANT.key(ClientApi.REST, "dora", Role.MEMBER, List.of("*"));
    private static final String SESSION = "/api/auth/session";
    private static final String KEYS = "/api/keys";
    private static final String CREATE = ClientApi.path("AP_Create");
    private static final String PING = """
            {"jsonrpc": "2.0", "id": "1", "method": "ping", "params": {}}""";

    /** The response is the document itself, that of the named command, the demo's, which changes while it runs, or one with another server. */
    private static final List<String> SHOWN_OTHERWISE = List.of(
            "openapiJson",
            "commandRun",
            "demoRead",
            "demoChange",
            "demoRemove",
            "oauthMetadata",
            "oauthToken",
            "oauthRegister",
            "oauthRevoke",
            "upstreamAccountRead",
            "upstreamAccountConnect",
            "upstreamAccountDisconnect",
            "upstreamClientDocument");

    @Test
    void routesAnswerAsIsKept() {
        var answers = new LinkedHashMap<String, JsonNode>();
        answers.put("health", body(get("/api/health")));
        answers.put("healthLive", body(get("/api/health/live")));
        answers.put("healthReady", body(get("/api/health/ready")));
        answers.put("toolRead", body(get("/api/mcp/tools/US_Read")));
        answers.put("toolList", first("tools", get("/api/mcp/tools")));
        answers.put("toolInvoke", body(post("/api/mcp/tools/US_Read/invoke", "{}", "X-Api-Key", KEY)));
        answers.put("why", why());
        answers.put("mcpCall", body(post("/mcp", PING, "X-Api-Key", KEY)));
        answers.put("handshakes", handshakes());
        session(answers);
        answers.put("jwksRead", first("keys", get("/.well-known/jwks.json"))); // After the first token.
        withAddress(answers);

        assertThat(answers.keySet()).containsExactlyInAnyOrderElementsOf(withAnswers());
        var joined = ApiKey.parse(answers.get("join").path("api_key").asString());
        kept().replacing(joined.id(), "2sKw7mTd5RfN").check("operations", answers);
    }

    @Test
    void requestsAreRefusedAsIsKept() {
        var answers = new LinkedHashMap<String, JsonNode>();
        var unknown = ApiKey.generate(new SecureRandom()).reveal();
        var tooLong = Json.text(Json.object().put("name", "x".repeat(1_100_000)));
        answers.put("problem-400", refused(400, post(KEYS, "{", "X-Api-Key", KEY)));
        answers.put("problem-401", refused(401, send("GET", KEYS, "", "X-Api-Key", unknown)));
        answers.put("problem-403", refused(403, post(KEYS, "{\"name\": \"tide report\"}", "X-Api-Key", narrow())));
        answers.put("problem-404", refused(404, send("GET", KEYS + "/4uVt2kPq8ZxT", "", "X-Api-Key", KEY)));
        answers.put(
                "problem-409",
                refused(409, send("PATCH", own(), """
                {"name": "nightly report", "if_revision": 7}""", "X-Api-Key", KEY, "Content-Type", "application/json")));
        answers.put("problem-413", refused(413, post(KEYS, tooLong, "X-Api-Key", KEY)));
        answers.put(
                "problem-415", refused(415, send("POST", KEYS, "x", "X-Api-Key", KEY, "Content-Type", "text/plain")));
        answers.put("problem-422", refused(422, post(KEYS, "{}", "X-Api-Key", KEY)));
        answers.put("command-400", refused(400, post(CREATE, "{}", "X-Api-Key", KEY)));
        answers.put("command-401", refused(401, post(CREATE, "{}", "X-Api-Key", unknown)));
        answers.put("rpc-400", refused(400, post("/mcp", "{", "X-Api-Key", KEY)));
        answers.put("rpc-401", refused(401, post("/mcp", PING, "X-Api-Key", unknown)));
        answers.put("rpc-403", refused(403, post("/mcp", PING, "X-Api-Key", KEY, "Origin", "https://example.com")));
        answers.put("rpc-404", refused(404, post("/mcp", PING, "X-Api-Key", KEY, "Mcp-Session-Id", unknown)));
        answers.put("rpc-413", refused(413, post("/mcp", tooLong, "X-Api-Key", KEY)));
        limited(answers);
        kept().check("refusals", answers);
    }

    /** Records refusals by rate limits. The clock stands still, so no second request is accepted. */
    private static void limited(Map<String, JsonNode> answers) {
        try (var engine = TestServer.start(
                Map.of("ENGINE_RATE_LIMIT", "1/s burst 1"), Clock.fixed(Instant.now(), ZoneOffset.UTC))) {
            var headers = List.of("X-Api-Key", KEY, "Content-Type", "application/json")
                    .toArray(String[]::new);
            at(engine.baseUrl(), "GET", KEYS, "", headers);
            answers.put("problem-429", refused(429, at(engine.baseUrl(), "GET", KEYS, "", headers)));
            answers.put("command-429", refused(429, at(engine.baseUrl(), "POST", CREATE, "{}", headers)));
            answers.put("rpc-429", refused(429, at(engine.baseUrl(), "POST", "/mcp", PING, headers)));
        }
    }

    private static JsonNode refused(int status, HttpResponse<byte[]> answer) {
        assertThat(answer.statusCode()).as(new String(answer.body(), UTF_8)).isEqualTo(status);
        return Json.read(answer.body());
    }

    private static String narrow() {
        return TENANT.key(ClientApi.REST, "bob", Role.MEMBER, List.of("agent:read"));
    }

    private static String own() {
        return KEYS + "/" + ApiKey.parse(KEY).id();
    }

    private static void session(Map<String, JsonNode> answers) {
        var start = post(SESSION, "", "X-Api-Key", KEY);
        var cookie = start.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
        var token = body(start).path("csrf_token").asString();
        var page = List.of("Cookie", cookie, "X-CSRF-Token", token, "Sec-Fetch-Site", "same-origin")
                .toArray(String[]::new);
        answers.put("sessionBegin", body(start));
        answers.put("sessionRead", body(send("GET", SESSION, "", page)));
        answers.put("tokenCreate", body(send("POST", "/api/auth/token", "", page)));
        answers.put("sessionEnd", body(send("DELETE", SESSION, "", page)));
    }

    /** Asks as a member whether she may change another user's thing. */
    private static JsonNode why() {
        post(CREATE, """
                {"vx": {"name": "scout", "description": "Watches the tide tables.", "access": "public"}}""", "X-Api-Key", KEY);
        var cleo = TENANT.key(ClientApi.REST, "cleo", Role.MEMBER, List.of("*"));
        return body(send("GET", "/api/auth/why?tool=AP_Update&target=agent:scout", "", "X-Api-Key", cleo));
    }

    /** Records responses that contain the service's own address, also in encoded form. */
    private static void withAddress(Map<String, JsonNode> answers) {
        try (var engine = TestServer.start(Map.of("ENGINE_BASE_URL", "https://engine.example.com"))) {
            var url = "http://127.0.0.1:" + engine.port();
            answers.put("configRead", body(at(url, "GET", "/api/config", "")));
            answers.put("clients", first("clients", at(url, "GET", "/api/mcp/clients", "")));
            var joined = body(join(url));
            answers.put("join", joined);
            answers.put("joinMarketplace", body(at(url, "GET", "/join/marketplace.json", "")));
            answers.put("hook", body(hook(url, joined.path("api_key").asString())));
            answers.put("client", body(at(url, "GET", "/api/mcp/clients/cursor", "")));
        }
    }

    private static HttpResponse<byte[]> join(String url) {
        var json = "application/json";
        var made = body(at(
                url, "POST", "/api/invitations", "{\"agent\": \"tides\"}", "X-Api-Key", CLIENT, "Content-Type", json));
        var code = made.at("/invitation/code").asString();
        var request = Json.object().put("code", code).put("client", "claude-code");
        return at(url, "POST", "/api/join", Json.text(request), "Content-Type", json);
    }

    private static HttpResponse<byte[]> hook(String url, String key) {
        var event = "{\"hook_event_name\": \"SessionStart\", \"session_id\": \"one\", \"source\": \"startup\"}";
        return at(url, "POST", "/api/hooks/claude-code", event, "X-Api-Key", key, "Content-Type", "application/json");
    }

    private static JsonNode handshakes() {
        post("/mcp", """
                {"jsonrpc": "2.0", "id": "1", "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                 "clientInfo": {"name": "cursor", "version": "2.1.0"}}}""", "X-Api-Key", CLIENT, "User-Agent", "Cursor/2.1.0");
        return Awaitility.await()
                .until(
                        () -> body(send("GET", "/api/mcp/handshakes", "", "X-Api-Key", CLIENT)),
                        reports -> !reports.path("handshakes").isEmpty());
    }

    /** Keeps only the first element of a long list. */
    private static JsonNode first(String field, HttpResponse<byte[]> answer) {
        var whole = (ObjectNode) body(answer);
        var list = whole.path(field);
        whole.putArray(field).add(list.get(0));
        return whole;
    }

    /** Returns the routes that run no tool and return JSON. */
    private static List<String> withAnswers() {
        return Contract.at(TestServer.url())
                .operations()
                .filter(operation -> !operation.has("x-tool"))
                .filter(operation -> operation.path("responses").properties().stream()
                        .anyMatch(answer -> answer.getKey().startsWith("2")
                                && answer.getValue().at("/content").has("application/json")))
                .map(operation -> operation.path("operationId").asString())
                .filter(id -> !SHOWN_OTHERWISE.contains(id))
                .toList();
    }

    private static KeptAnswers kept() {
        return new KeptAnswers()
                .replacing(ApiKey.parse(KEY).id(), "9sJd3nQw6LbY")
                .replacing(ApiKey.parse(CLIENT).id(), "4uVt2kPq8ZxT");
    }

    private static JsonNode body(HttpResponse<byte[]> answer) {
        assertThat(answer.statusCode()).as(new String(answer.body(), UTF_8)).isBetween(200, 201);
        return Json.read(answer.body());
    }

    private static HttpResponse<byte[]> get(String path) {
        return send("GET", path, "");
    }

    private static HttpResponse<byte[]> post(String path, String body, String... headers) {
        var all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("Content-Type", "application/json"));
        return send("POST", path, body, all.toArray(String[]::new));
    }

    private static HttpResponse<byte[]> send(String method, String path, String body, String... headers) {
        return at(TestServer.url(), method, path, body, headers);
    }

    private static HttpResponse<byte[]> at(String url, String method, String path, String body, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(url + path)).method(method, BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return ClientApi.send(request.build());
    }
}
