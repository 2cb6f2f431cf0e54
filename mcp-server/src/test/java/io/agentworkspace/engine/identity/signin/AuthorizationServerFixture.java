package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** An engine with its own authorization server, a user who is signed in, and a client that registered itself. */
abstract class AuthorizationServerFixture {
    static final String BACK = "https://client.example/callback";
    static final String VERIFIER = "a-verifier-of-the-test-that-is-long-enough-0123456789";
    static final String CHALLENGE = "WWW-Authenticate";
    static final String WORDS = "agent:read agent:write bank:read";
    static final TestClock CLOCK = new TestClock();

    static TestTenant tenant;
    static Replica engine;
    static Replica other;
    static String key;
    static Browser browser;
    static String client;
    static HttpServer documents;

    @BeforeAll
    static void start() throws IOException {
        tenant = new TestTenant();
        var settings = Map.of(
                "ENGINE_UPSTREAMS_ALLOW", "127.0.0.0/8",
                "ENGINE_STRANGER_LIMIT", "off",
                "ENGINE_BASE_URL", "https://engine.example",
                "ENGINE_MCP_URL", "https://mcp.example");
        engine = Replica.readingHere(settings, CLOCK);
        other = Replica.start(settings, CLOCK);
        key = tenant.key(ClientApi.REST, "maria", Role.MEMBER, List.of("*"));
        documents = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        documents.start();
        client = registered(BACK, "http://127.0.0.1/cb", "com.example.app:/done");
    }

    /** The session of an earlier test may have expired, since the clock was advanced. */
    @BeforeEach
    void signIn() {
        browser = Browser.signIn(engine.url(), key);
    }

    @AfterAll
    static void stop() {
        documents.stop(0);
        other.close();
        engine.close();
    }

    static Browser signedIn(String user, String... capabilities) {
        return Browser.signIn(engine.url(), tenant.key(ClientApi.REST, user, Role.MEMBER, List.of(capabilities)));
    }

    /** Creates an agent of a new user, and returns the user's browser. */
    static Browser withAgent(String user, String agent) {
        var own = signedIn(user, "*");
        var made = own.change(
                "POST",
                Browser.CREATE,
                "{\"vx\":{\"name\":\"%s\",\"description\":\"d\",\"access\":\"private\"}}".formatted(agent));
        assertThat(made.error()).isEmpty();
        return own;
    }

    static String registered(String... uris) {
        var body = Json.object().put("client_name", "Test client");
        Arrays.stream(uris).forEach(body.putArray("redirect_uris")::add);
        CLOCK.advance(Duration.ofSeconds(2)); // Registrations are limited by address.
        var got = Browser.send(engine.url(), "POST", "/oauth/register", Json.text(body));
        assertThat(got.status()).as(got.toString()).isEqualTo(201);
        return got.at("/client_id");
    }

    /** Parameters as {@code a=b&c=d}, not encoded; {@code a=} leaves one out. */
    static Map<String, String> with(Map<String, String> base, String changes) {
        var all = new LinkedHashMap<>(base);
        for (var change : changes.split("&")) {
            var parts = change.split("=", 2);
            if (parts.length == 2) {
                all.put(parts[0], parts[1]);
            }
        }
        all.values().removeIf(String::isEmpty);
        return all;
    }

    static Map<String, String> request(String changes) {
        var base = new LinkedHashMap<String, String>();
        base.put("response_type", "code");
        base.put("client_id", client);
        base.put("redirect_uri", BACK);
        base.put("state", "some state");
        base.put("scope", WORDS);
        base.put("resource", "https://mcp.example/mcp");
        base.put(
                "code_challenge",
                AccessTokens.digest(VERIFIER)
                        .replace('+', '-')
                        .replace('/', '_')
                        .replace("=", ""));
        base.put("code_challenge_method", "S256");
        return with(base, changes);
    }

    static String encoded(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    static Got authorize(Map<String, String> request) {
        return browser.get("/oauth/authorize?" + encoded(request));
    }

    static Got decided(Browser by, Map<String, String> request, String decision) {
        return by.change("POST", "/oauth/authorize?" + encoded(request), decision.replace('\'', '"'));
    }

    static String allowed(Browser by, Map<String, String> request) {
        var decision = "{'allow':true,'agent':'Helper %s','capabilities':['agent:read','agent:write','bank:read']}";
        var got = decided(
                by, request, decision.formatted(by.csrf().substring(0, 6).replaceAll("[^A-Za-z0-9]", "x")));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        return got.at("/location");
    }

    static Map<String, String> parameters(String location) {
        return Arrays.stream(URI.create(location).getRawQuery().split("&"))
                .map(one -> one.split("=", 2))
                .collect(Collectors.toMap(one -> one[0], one -> URLDecoder.decode(one[1], StandardCharsets.UTF_8)));
    }

    static String code() {
        return parameters(allowed(browser, request(""))).get("code");
    }

    static Map<String, String> exchange(String code, String changes) {
        var base = new LinkedHashMap<String, String>();
        base.put("grant_type", "authorization_code");
        base.put("client_id", client);
        base.put("code", code);
        base.put("redirect_uri", BACK);
        base.put("code_verifier", VERIFIER);
        base.put("resource", "https://mcp.example/mcp");
        return with(base, changes);
    }

    static Map<String, String> refresh(String token, String changes) {
        var base = new LinkedHashMap<String, String>();
        base.put("grant_type", "refresh_token");
        base.put("client_id", client);
        base.put("refresh_token", token);
        base.put("resource", "https://mcp.example/mcp");
        return with(base, changes);
    }

    static Got form(Replica at, String path, String body, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(at.url() + path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return new Got(ClientApi.send(request.build()));
    }

    static Got token(Map<String, String> parameters, String... headers) {
        return form(engine, "/oauth/token", encoded(parameters), headers);
    }

    static Got issued(String code) {
        var got = token(exchange(code, ""));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        return got;
    }

    static int mcp(Replica at, String token) {
        return call(at, token).status();
    }

    static Got call(Replica at, String token) {
        var body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";
        return Browser.send(at.url(), "POST", "/mcp", body, "Authorization", "Bearer " + token);
    }
}
