package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine below a path, behind a proxy that strips the path and behind one that does not. */
@Tag("slow")
class BelowPathTest {
    private static final Pattern LINK = Pattern.compile("\\s(?:href|src|action)=\"([^\"#?]*)");
    private static final Pattern IMPORT = Pattern.compile("(?:from |import\\(|import )'([^']+)'");
    private static final Pattern LITERAL =
            Pattern.compile("['\"`](/(?:api|console|docs|mcp-hub|skills-hub|search|oauth|demo)[^'\"`$?#]*)");
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final List<Below> BOTH = new ArrayList<>();
    private static String key;

    /** An engine and its proxy. */
    private record Below(boolean strips, PathProxy proxy, Replica engine) {
        static Below start(boolean strips) throws IOException {
            var proxy = new PathProxy(strips);
            var engine = Replica.start(Map.of(
                    "ENGINE_BASE_URL",
                    proxy.url(),
                    "ENGINE_MCP_URL",
                    proxy.url() + "/",
                    "ENGINE_STRANGER_LIMIT",
                    "off"));
            proxy.to(engine.url());
            return new Below(strips, proxy, engine);
        }

        String url() {
            return proxy.url();
        }
    }

    @BeforeAll
    static void start() throws IOException {
        BOTH.add(Below.start(true));
        BOTH.add(Below.start(false));
        key = new TestTenant().key(ClientApi.REST, "maria", Role.OWNER, List.of("*"));
    }

    @AfterAll
    static void stop() {
        for (var one : BOTH) {
            one.engine().close();
            one.proxy().close();
        }
        HTTP.shutdownNow();
    }

    static List<Below> proxies() {
        return BOTH;
    }

    private static HttpResponse<String> get(String address, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(address));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    /**
     * Every page that a link leads to, and every asset that it loads, is below the path. Pages are the same behind both proxies, so
     * fewer are read behind one of them.
     */
    @ParameterizedTest
    @MethodSource("proxies")
    void everyLinkLeadsToAPage(Below below) throws Exception {
        var seen = new LinkedHashSet<String>();
        var next = new ArrayDeque<>(List.of(
                below.url() + "/mcp-hub",
                below.url() + "/console/world",
                below.url() + "/docs",
                below.url() + "/skills-hub",
                below.url() + "/oauth/authorize"));
        var host = URI.create(below.url()).getAuthority();
        var most = below.strips() ? 400 : 150;
        while (!next.isEmpty() && seen.size() < most) {
            var at = next.poll();
            if (!seen.add(at)) {
                continue;
            }
            var page = get(at, "X-Api-Key", key);
            var redirect = page.headers().firstValue("Location");
            assertThat(page.statusCode()).as(at).isIn(200, 302, 301);
            redirect.ifPresent(to -> next.add(URI.create(at).resolve(to).toString()));
            var type = page.headers().firstValue("Content-Type").orElse("");
            var pattern = type.startsWith("text/html") ? LINK : type.startsWith("text/javascript") ? IMPORT : null;
            if (pattern != null) {
                pattern.matcher(page.body())
                        .results()
                        .map(found -> found.group(1))
                        .filter(link -> !link.isEmpty())
                        .forEach(link -> {
                            var to = URI.create(at)
                                    .resolve(link.replace("&#x3D;", "=").replace("&amp;", "&"));
                            if (host.equals(to.getAuthority()) && !to.getPath().matches(".*/(archive|demo)$")) {
                                next.add(to.toString());
                            }
                        });
            }
            if (type.startsWith("text/javascript")) {
                assertThat(LITERAL.matcher(page.body()).results().map(found -> found.group(1)))
                        .as(at)
                        .isEmpty();
            }
        }
        assertThat(seen)
                .hasSizeGreaterThan(100)
                .anyMatch(at -> at.contains("/assets/"))
                .allMatch(at -> at.startsWith(below.url()));
    }

    @ParameterizedTest
    @MethodSource("proxies")
    void theFrontPageAndRedirectsLeadBelowThePath(Below below) throws Exception {
        assertThat(get(below.url()).body()).contains("href=\"/engine/mcp-hub/connect\"");
        assertThat(get(below.url() + "/docs/").headers().firstValue("Location")).contains("/engine/docs");
    }

    @ParameterizedTest
    @MethodSource("proxies")
    void theTypeOfAProblemIsBelowThePath(Below below) throws Exception {
        var type = Json.readObject(get(below.url() + "/api/keys/none", "X-Api-Key", key)
                        .body()
                        .getBytes(StandardCharsets.UTF_8))
                .path("type")
                .asString();
        assertThat(type).startsWith("/engine/docs/concepts#");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/engine/..", "/engine/../", "/engine/../x", "/engine/a/../..", "/engine/./.."})
    void dotsThatLeadOutOfThePathAreNoDefect(String path) throws Exception {
        for (var one : BOTH) {
            var engine = URI.create(one.engine().url());
            try (var socket = new Socket(engine.getHost(), engine.getPort())) {
                socket.getOutputStream()
                        .write("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                                .formatted(path)
                                .getBytes(StandardCharsets.UTF_8));
                var status = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split(" ")[1];
                assertThat(Integer.parseInt(status)).as(path).isLessThan(500);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("proxies")
    void aSessionsCookieIsOfThePath(Below below) throws Exception {
        var begin = HttpRequest.newBuilder(URI.create(below.url() + "/api/auth/session"))
                .header("X-Api-Key", key)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        var start = HTTP.send(begin, BodyHandlers.ofString());
        var cookie = start.headers().firstValue("Set-Cookie").orElseThrow();
        assertThat(cookie).matches("__Secure-engine_session=[^;]+; Path=/engine; Secure; HttpOnly; SameSite=Lax");
        var sent = cookie.substring(0, cookie.indexOf(';'));
        assertThat(get(below.url() + "/api/auth/session", "Cookie", sent).body())
                .contains("\"signed_in\":true");
        assertThat(get(below.url() + "/api/auth/session", "Cookie", sent.replace("__Secure-", "__Host-"))
                        .body())
                .contains("\"signed_in\":false");
    }

    @ParameterizedTest
    @MethodSource("proxies")
    void metadataAreBelowThePathAndWhereTheirStandardsPutThem(Below below) throws Exception {
        var origin = below.url().replace("/engine", "");
        for (var at : List.of(
                below.url() + "/.well-known/oauth-authorization-server",
                below.url() + "/.well-known/openid-configuration",
                origin + "/.well-known/oauth-authorization-server/engine")) {
            assertThat(get(at).body()).as(at).contains("\"issuer\":\"%s\"".formatted(below.url()));
        }
        for (var at : List.of(
                below.url() + "/.well-known/oauth-protected-resource/mcp",
                origin + "/.well-known/oauth-protected-resource/engine/mcp")) {
            assertThat(get(at).body()).as(at).contains("\"resource\":\"%s/mcp\"".formatted(below.url()));
        }
    }

    @ParameterizedTest
    @MethodSource("proxies")
    void toolsRunOverRestAndTheConsolesStreamFlows(Below below) throws Exception {
        var call = HttpRequest.newBuilder(URI.create(below.url() + ClientApi.path("AP_Create")))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"vx\":{\"name\":\"Below %s\",\"description\":\"d\"}}".formatted(below.strips())));
        var stream = HTTP.send(
                HttpRequest.newBuilder(URI.create(below.url() + "/api/stream?topics=audit"))
                        .header("X-Api-Key", key)
                        .build(),
                BodyHandlers.ofInputStream());
        assertThat(stream.statusCode()).isEqualTo(200);
        try (var lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            var answer = Json.readObject(
                    HTTP.send(call.build(), BodyHandlers.ofByteArray()).body());
            assertThat(answer.at("/status/success").asBoolean())
                    .as(answer.toString())
                    .isTrue();
            var line = "";
            while (line != null && !line.startsWith("data:")) {
                line = lines.readLine();
            }
            assertThat(line).isNotNull();
        }
    }

    @ParameterizedTest
    @MethodSource("proxies")
    void theOfficialClientConnectsWithTheAddressAlone(Below below) {
        Node.require();
        var ended = Node.run(Map.of(), List.of(Node.script("connector.mjs"), "2026-07-28", below.url() + "/mcp", key));
        assertThat(ended.code()).as(ended.output() + ended.errors()).isZero();
        assertThat(ended.output()).contains("\"step\":\"renewed\",\"got\":true");
    }
}
