package io.agentworkspace.engine.integrations.upstreams;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * An authorization server on loopback for the accounts at a server, which follows the standards unless a test changes its documents or its
 * answers. Refresh tokens work once.
 */
final class AccountProvider implements AutoCloseable {
    /** What it answers at a path, if not what it should. */
    @FunctionalInterface
    interface Manner {
        void answer(HttpExchange exchange) throws IOException;
    }

    private final HttpServer server;
    private final Map<String, Map<String, String>> codes = new ConcurrentHashMap<>();
    private final Set<String> alive = ConcurrentHashMap.newKeySet();
    private final Set<String> refreshTokens = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Answers of a test, by path. */
    final Map<String, Manner> manners = new ConcurrentHashMap<>();

    /** The forms that came to the token endpoint. */
    final List<Map<String, String>> forms = new CopyOnWriteArrayList<>();

    final List<Map<String, String>> revoked = new CopyOnWriteArrayList<>();
    final List<ObjectNode> registrations = new CopyOnWriteArrayList<>();
    final List<String> paths = new CopyOnWriteArrayList<>();
    final ObjectNode resource = Json.object();
    final ObjectNode metadata = Json.object();

    /** In how many seconds access tokens expire; 0 if it does not say. */
    volatile long expiresIn = 3_600;

    volatile boolean hasRefresh = true;

    AccountProvider() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
        metadata.put("issuer", url())
                .put("authorization_endpoint", url() + "/authorize")
                .put("token_endpoint", url() + "/token")
                .put("registration_endpoint", url() + "/register")
                .put("revocation_endpoint", url() + "/revoke");
        metadata.putArray("code_challenge_methods_supported").add("S256");
        metadata.putArray("token_endpoint_auth_methods_supported").add("none");
    }

    String url() {
        return "http://127.0.0.1:%d".formatted(server.getAddress().getPort());
    }

    /** Makes a server require tokens of this provider. */
    AccountProvider guard(ScriptedUpstream upstream) {
        resource.put("resource", upstream.url());
        resource.putArray("authorization_servers").add(url());
        upstream.challenge = authorization -> alive.contains(authorization.replace("Bearer ", ""))
                ? ""
                : "Bearer resource_metadata=\"%s/resource\", scope=\"files\"".formatted(url());
        return this;
    }

    /** Lets all access tokens end. */
    void expire() {
        alive.clear();
    }

    /** Lets all refresh tokens end, too. */
    void end() {
        expire();
        refreshTokens.clear();
    }

    /** What a person's browser does at the provider: it comes back with a code. */
    String consented(String authorizeUrl) {
        var asked = query(URI.create(authorizeUrl).getRawQuery());
        var code = UUID.randomUUID().toString();
        codes.put(code, asked);
        return "%s?code=%s&state=%s".formatted(asked.get("redirect_uri"), code, asked.get("state"));
    }

    static Map<String, String> query(String text) {
        return Stream.of(text.split("&"))
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    }

    private void handle(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        paths.add(path);
        var manner = manners.get(path);
        if (manner != null) {
            manner.answer(exchange);
            exchange.close();
            return;
        }
        var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        switch (path) {
            case "/resource" -> send(exchange, 200, resource);
            case "/.well-known/oauth-authorization-server" -> send(exchange, 200, metadata);
            case "/register" -> {
                registrations.add(Json.readObject(body.getBytes(StandardCharsets.UTF_8)));
                send(exchange, 201, Json.object().put("client_id", "registered-" + registrations.size()));
            }
            case "/token" -> token(exchange, query(body));
            case "/revoke" -> {
                revoked.add(query(body));
                send(exchange, 200, Json.object());
            }
            default -> send(exchange, 404, Json.object());
        }
    }

    private void token(HttpExchange exchange, Map<String, String> form) throws IOException {
        forms.add(form);
        var isCode = "authorization_code".equals(form.get("grant_type"));
        var asked = isCode ? codes.remove(form.getOrDefault("code", "")) : Map.<String, String>of();
        var isGood = isCode
                ? asked != null
                        && challenge(form.get("code_verifier")).equals(asked.get("code_challenge"))
                        && form.get("redirect_uri").equals(asked.get("redirect_uri"))
                        && client(exchange, form).equals(asked.get("client_id"))
                : refreshTokens.remove(form.getOrDefault("refresh_token", ""));
        if (!isGood) {
            send(exchange, 400, Json.object().put("error", "invalid_grant"));
            return;
        }
        var access = "access-" + UUID.randomUUID();
        alive.add(access);
        var answer = Json.object().put("access_token", access).put("token_type", "bearer");
        if (expiresIn > 0) {
            answer.put("expires_in", expiresIn);
        }
        if (hasRefresh) {
            var refresh = "refresh-" + UUID.randomUUID();
            refreshTokens.add(refresh);
            answer.put("refresh_token", refresh);
        }
        send(exchange, 200, answer);
    }

    /** Returns the client of a request, which may authenticate by Basic. */
    private static String client(HttpExchange exchange, Map<String, String> form) {
        var basic = exchange.getRequestHeaders().getFirst("Authorization");
        return basic == null
                ? form.get("client_id")
                : new String(Base64.getDecoder().decode(basic.replace("Basic ", "")), StandardCharsets.UTF_8)
                        .split(":")[0];
    }

    private static String challenge(String verifier) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static void send(HttpExchange exchange, int status, ObjectNode body) throws IOException {
        send(exchange, status, "application/json", Json.text(body));
    }

    static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** Answers at this path never. */
    void hangs(String path) {
        manners.put(path, _ -> {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }
}
