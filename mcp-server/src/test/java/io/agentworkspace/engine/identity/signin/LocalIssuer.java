package io.agentworkspace.engine.identity.signin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.json.Json;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.Jwks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.interfaces.ECPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An issuer of access tokens that responds as a test wants, and counts its requests. */
final class LocalIssuer implements AutoCloseable {
    private final Map<String, KeyPair> keys = new ConcurrentHashMap<>();
    private final Map<String, KeyPair> published = new ConcurrentHashMap<>();
    private final AtomicInteger askedForKeys = new AtomicInteger();
    private final AtomicInteger askedForOther = new AtomicInteger();
    private final Clock clock;
    private final HttpServer server;
    private final AtomicInteger openRequests = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile boolean down;

    LocalIssuer(Clock clock) throws IOException {
        this.clock = clock;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
        publish("one");
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Publishes the key with this name, and creates it if there is none. */
    KeyPair publish(String id) {
        published.put(id, key(id));
        return key(id);
    }

    /** Returns a key that is not in the issuer's key set unless it is published. */
    KeyPair key(String id) {
        return keys.computeIfAbsent(id, _ -> Jwts.SIG.ES256.keyPair().build());
    }

    void withdraw(String id) {
        published.remove(id);
    }

    void down(boolean value) {
        down = value;
    }

    /** Blocks all responses until the returned latch is opened. */
    CountDownLatch hold() {
        gate = new CountDownLatch(1);
        return gate;
    }

    int openRequests() {
        return openRequests.get();
    }

    int askedForKeys() {
        return askedForKeys.get();
    }

    /** Returns the number of requests for anything but metadata and keys. */
    int askedForOther() {
        return askedForOther.get();
    }

    /** Returns a token of a user with a verified address, valid for five minutes, to be signed with key "one". */
    JwtBuilder draft(String audience, String subject, String scopes) {
        var now = clock.instant();
        return Jwts.builder()
                .json(TokenJson.WRITER)
                .header()
                .keyId("one")
                .type("at+jwt")
                .and()
                .issuer(address())
                .audience()
                .add(audience)
                .and()
                .subject(subject)
                .claim("client_id", "a client")
                .claim("scope", scopes)
                .claim("email", subject + "@example.org")
                .claim("email_verified", true)
                .issuedAt(Date.from(now))
                .expiration(Date.from(now.plus(Duration.ofMinutes(5))));
    }

    String signed(JwtBuilder draft) {
        return signed(draft, "one");
    }

    String signed(JwtBuilder draft, String keyId) {
        return draft.header()
                .keyId(keyId)
                .and()
                .signWith(key(keyId).getPrivate(), Jwts.SIG.ES256)
                .compact();
    }

    /** Returns the token with a changed bit at the end of its signature that base64 decoders ignore. */
    static String spelledOtherwise(String token) {
        var alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        var end = token.length() - 1;
        return token.substring(0, end) + alphabet.charAt(alphabet.indexOf(token.charAt(end)) + 1);
    }

    private void answer(HttpExchange exchange) throws IOException {
        openRequests.incrementAndGet();
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        openRequests.decrementAndGet();
        var path = exchange.getRequestURI().getPath();
        var body = switch (path) {
            case "/.well-known/openid-configuration" ->
                Json.text(Json.object()
                        .put("issuer", address())
                        .put("authorization_endpoint", address() + "/auth")
                        .put("token_endpoint", address() + "/token")
                        .put("userinfo_endpoint", address() + "/me")
                        .put("jwks_uri", address() + "/jwks"));
            case "/jwks" -> {
                askedForKeys.incrementAndGet();
                yield jwks(published);
            }
            default -> {
                askedForOther.incrementAndGet();
                yield jwks(Map.of("evil", key("evil")));
            }
        };
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(down ? 500 : 200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static String jwks(Map<String, KeyPair> keys) {
        var set = Json.object();
        var listed = set.putArray("keys");
        keys.forEach((id, key) -> {
            var plain = listed.addObject();
            Jwks.builder()
                    .key((ECPublicKey) key.getPublic())
                    .id(id)
                    .build()
                    .forEach((name, value) -> plain.put(name, String.valueOf(value)));
        });
        return Json.text(set);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
