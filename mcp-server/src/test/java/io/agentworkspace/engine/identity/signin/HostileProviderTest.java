package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.web.server.CapturedLog;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.Jwks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** A provider with responses that no honest one would send. */
@Tag("slow")
class HostileProviderTest {
    private static final String CLIENT = "engine";
    private static final String SECRET = "a client's secret, which is long enough for HS256";
    private static final KeyPair KEYS = Jwts.SIG.RS256.keyPair().build();
    private static final KeyPair EDWARDS = Jwts.SIG.EdDSA.keyPair().build();
    private static final KeyPair FOREIGN = Jwts.SIG.RS256.keyPair().build();
    private static final String START = "/api/auth/oauth/hostile/start?surface=hub";

    private static final TestClock CLOCK = new TestClock();

    private static HttpServer server;
    private static Replica engine;
    private static String issuer;
    private static String tenant;

    private static volatile UnaryOperator<ObjectNode> discovery;
    private static volatile String idToken;
    private static volatile String userInfo;
    private static volatile Answer odd;

    /** A response for a path, in place of the right one. */
    private record Answer(String path, int status, byte[] body, Duration delay) {}

    @BeforeAll
    static void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", HostileProviderTest::answer);
        server.start();
        issuer = "http://127.0.0.1:" + server.getAddress().getPort();
        tenant = TestDatabase.db()
                .sql("SELECT name FROM tenant WHERE tenant_id = :id")
                .set("id", new TestTenant().id(ClientApi.REST))
                .one(row -> row.text("name"))
                .orElseThrow();
        engine = engine();
    }

    @AfterAll
    static void stop() {
        engine.close();
        server.stop(0);
    }

    @BeforeEach
    void beHonest() {
        forget();
        discovery = document -> document;
        userInfo = "{}";
        odd = new Answer("", 0, new byte[0], Duration.ZERO);
    }

    /** Advances the clock so that the engine's cached data of the provider is expired. */
    private static void forget() {
        CLOCK.advance(Duration.ofHours(2));
    }

    private static void answer(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        var body = bytes(
                switch (path) {
                    case "/.well-known/openid-configuration" -> Json.text(discovery.apply(document()));
                    case "/jwks" -> jwks();
                    case "/token" ->
                        Json.text(Json.object().put("id_token", idToken).put("access_token", "a"));
                    default -> userInfo;
                });
        var status = 200;
        if (path.equals(odd.path())) {
            sleep(odd.delay());
            status = odd.status();
            body = odd.body();
        }
        if (status == 302) {
            exchange.getResponseHeaders().set("Location", issuer + "/elsewhere");
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ObjectNode document() {
        return Json.object()
                .put("issuer", issuer)
                .put("authorization_endpoint", issuer + "/auth")
                .put("token_endpoint", issuer + "/token")
                .put("jwks_uri", issuer + "/jwks")
                .put("userinfo_endpoint", issuer + "/me");
    }

    private static String jwks() {
        var set = Json.object();
        set.putArray("keys").addObject().put("kty", "unknown");
        for (var jwk : List.of(
                Jwks.builder().key((RSAPublicKey) KEYS.getPublic()).id("one").build(),
                Jwks.builder().octetKey(EDWARDS.getPublic()).id("edwards").build())) {
            var plain = set.withArray("keys").addObject();
            jwk.forEach((name, value) -> plain.put(name, String.valueOf(value)));
        }
        return Json.text(set);
    }

    private static Replica engine() {
        var settings = Map.of(
                "ENGINE_BASE_URL", "https://engine.example",
                "ENGINE_OAUTH_HOSTILE_ISSUER", issuer,
                "ENGINE_OAUTH_HOSTILE_CLIENT_ID", CLIENT,
                "ENGINE_OAUTH_HOSTILE_CLIENT_SECRET", SECRET,
                "ENGINE_OAUTH_HOSTILE_TENANT", tenant,
                "ENGINE_OAUTH_HOSTILE_EMAIL_DOMAINS", "example.org");
        return Replica.start(settings, CLOCK);
    }

    /** Signs in with the token that the function creates from the nonce. */
    private static Browser.Got signIn(UnaryOperator<String> token) {
        var sent = Browser.send(engine.url(), "GET", START, "");
        if (sent.status() != 302) {
            return sent;
        }
        var query = URI.create(sent.header("Location")).getRawQuery();
        idToken = token.apply(query.replaceFirst(".*nonce=([^&]*).*", "$1"));
        var state = query.replaceFirst(".*state=([^&]*).*", "$1");
        return Browser.send(
                engine.url(),
                "GET",
                "/api/auth/oauth/hostile/callback?code=x&state=" + state,
                "",
                "Cookie",
                "__Host-engine_signin=" + sent.cookie());
    }

    private static JwtBuilder draft(String nonce) {
        var now = CLOCK.instant();
        return Jwts.builder()
                .json(TokenJson.WRITER)
                .header()
                .keyId("one")
                .and()
                .issuer(issuer)
                .audience()
                .add(CLIENT)
                .and()
                .subject("ann")
                .claim("nonce", nonce)
                .claim("email", "ann@example.org")
                .claim("email_verified", true)
                .issuedAt(Date.from(now))
                .expiration(Date.from(now.plus(Duration.ofMinutes(5))));
    }

    private static String signed(JwtBuilder draft) {
        return draft.signWith(KEYS.getPrivate(), Jwts.SIG.RS256).compact();
    }

    private static Date in(Duration time) {
        return Date.from(CLOCK.instant().plus(time));
    }

    private static Map<String, UnaryOperator<String>> attacks() {
        var attacks = new LinkedHashMap<String, UnaryOperator<String>>();
        attacks.put("no token", _ -> "");
        attacks.put("no JWT", _ -> "a.b");
        attacks.put("alg none", nonce -> draft(nonce).compact());
        attacks.put(
                "HS256 with the client's secret",
                nonce -> draft(nonce)
                        .signWith(new SecretKeySpec(bytes(SECRET), "HmacSHA256"), Jwts.SIG.HS256)
                        .compact());
        attacks.put(
                "HS256 with the public key",
                nonce -> draft(nonce)
                        .signWith(new SecretKeySpec(KEYS.getPublic().getEncoded(), "HmacSHA256"), Jwts.SIG.HS256)
                        .compact());
        attacks.put(
                "a foreign key",
                nonce -> draft(nonce)
                        .signWith(FOREIGN.getPrivate(), Jwts.SIG.RS256)
                        .compact());
        attacks.put(
                "an unknown key",
                nonce -> signed(draft(nonce).header().keyId("two").and()));
        attacks.put(
                "a key of its own in the header",
                nonce -> draft(nonce)
                        .header()
                        .add(
                                "jwk",
                                Jwks.builder()
                                        .key((RSAPublicKey) FOREIGN.getPublic())
                                        .build())
                        .and()
                        .signWith(FOREIGN.getPrivate(), Jwts.SIG.RS256)
                        .compact());
        attacks.put("another issuer", nonce -> signed(draft(nonce).issuer("https://evil.example")));
        attacks.put(
                "another audience",
                nonce -> signed(draft(nonce).audience().clear().add("other").and()));
        attacks.put(
                "two audiences, no party",
                nonce -> signed(draft(nonce).audience().add("other").and()));
        attacks.put("another party", nonce -> signed(draft(nonce).claim("azp", "other")));
        attacks.put("expired", nonce -> signed(draft(nonce).expiration(in(Duration.ofMinutes(-2)))));
        attacks.put("without an end", nonce -> signed(draft(nonce).expiration(null)));
        attacks.put("from the future", nonce -> signed(draft(nonce).issuedAt(in(Duration.ofMinutes(3)))));
        attacks.put("long ago", nonce -> signed(draft(nonce).issuedAt(in(Duration.ofHours(-1)))));
        attacks.put("never issued", nonce -> signed(draft(nonce).issuedAt(null)));
        attacks.put("another nonce", nonce -> signed(draft(nonce + "x")));
        attacks.put("no nonce", nonce -> signed(draft(nonce).claim("nonce", null)));
        attacks.put("nobody", nonce -> signed(draft(nonce).subject(null)));
        attacks.put("a very long name", nonce -> signed(draft(nonce).subject("a".repeat(256))));
        attacks.put("a name with NUL", nonce -> signed(draft(nonce).subject("ann\0")));
        attacks.put("compressed", nonce -> signed(draft(nonce).compressWith(Jwts.ZIP.DEF)));
        attacks.put(
                "a signature that is spelled otherwise", nonce -> LocalIssuer.spelledOtherwise(signed(draft(nonce))));
        attacks.put("base64 with rubbish", nonce -> signed(draft(nonce)).replaceFirst("\\.", ".!"));
        return attacks;
    }

    @Test
    void noForgedIdTokenIsBelieved() {
        for (var attack : attacks().entrySet()) {
            Browser.Got back;
            try (var log = new CapturedLog()) {
                back = signIn(attack.getValue());
                assertThat(log.text())
                        .as(attack.getKey())
                        .contains("an ID token of the provider hostile was refused: ")
                        .contains("a sign-in at the provider hostile was refused: what the provider says of you");
            }
            assertThat(back.status()).as(attack.getKey()).isEqualTo(403);
            assertThat(back.error()).as(attack.getKey()).isEqualTo("not_permitted");
            assertThat(back.headers("Set-Cookie")).as(attack.getKey()).isEmpty();
        }
        assertThat(signIn(nonce -> signed(draft(nonce))).status())
                .as("the unchanged draft is accepted")
                .isEqualTo(302);
    }

    @Test
    void aTokenThatIsSignedOnAnEdwardsCurveIsBelieved() {
        var back = signIn(nonce -> draft(nonce)
                .header()
                .keyId("edwards")
                .and()
                .signWith(EDWARDS.getPrivate(), Jwts.SIG.EdDSA)
                .compact());
        assertThat(back.status()).isEqualTo(302);
    }

    @Test
    void whatItTellsOfSomebodyElseIsNotTaken() {
        userInfo = """
                {"sub":"other","email":"other@example.org","email_verified":true}""";
        var silent = signIn(nonce ->
                signed(draft(nonce).subject("silent").claim("email", null).claim("email_verified", null)));
        assertThat(silent.status()).isEqualTo(403);
        userInfo = """
                {"email":"other@example.org","email_verified":true}""";
        var nameless = signIn(nonce ->
                signed(draft(nonce).subject("nameless").claim("email", null).claim("email_verified", null)));
        assertThat(nameless.status()).as("of nobody").isEqualTo(403);
        var quoted = signIn(nonce -> signed(draft(nonce).subject("quoted").claim("email_verified", "true")));
        assertThat(quoted.status()).as("a text does not count as true").isEqualTo(403);
    }

    private static List<String> emails(String subject) {
        return TestDatabase.db()
                .sql(
                        "SELECT COALESCE(email, '') AS email FROM external_identity WHERE issuer = :issuer AND subject = :subject")
                .set("issuer", issuer)
                .set("subject", subject)
                .list(row -> row.text("email"));
    }

    @Test
    void whoIsKnownGetsInWhateverItReportsOfTheAddress() {
        UnaryOperator<String> silent = nonce ->
                signed(draft(nonce).subject("known").claim("email", null).claim("email_verified", null));
        assertThat(signIn(nonce -> signed(draft(nonce).subject("known"))).status())
                .isEqualTo(302);
        assertThat(emails("known")).containsExactly("ann@example.org");
        odd = new Answer("/me", 500, bytes("{}"), Duration.ZERO);
        assertThat(signIn(silent).status()).isEqualTo(302);
        assertThat(emails("known")).as("nothing was reported").containsExactly("ann@example.org");
        odd = new Answer("", 0, new byte[0], Duration.ZERO);
        userInfo = """
                {"sub":"other","email":"other@example.org","email_verified":true}""";
        assertThat(signIn(silent).status()).isEqualTo(302);
        assertThat(emails("known")).as("not of another user").containsExactly("");
        userInfo = """
                {"sub":"known","email":"Known@example.org","email_verified":true}""";
        assertThat(signIn(silent).status()).isEqualTo(302);
        assertThat(emails("known")).containsExactly("known@example.org");
        for (var bad : List.of("\"true\"", "1", "null")) {
            userInfo = """
                    {"sub":"known","email":"known@example.org","email_verified":%s}""".formatted(bad);
            assertThat(signIn(silent).status()).isEqualTo(302);
            assertThat(emails("known")).as(bad).containsExactly("");
        }
    }

    @Test
    void aDiscoveryDocumentThatIsNotItsOwnIsRefused() {
        List<UnaryOperator<ObjectNode>> documents = List.of(
                document -> document.put("issuer", "https://evil.example"),
                document -> document.put("issuer", issuer + "/"),
                document -> document.put("token_endpoint", "file:///etc/passwd"),
                document -> document.put("jwks_uri", "jar:http://127.0.0.1/a!/b"),
                document -> document.put("authorization_endpoint", "javascript:alert(1)"),
                document -> document.put("authorization_endpoint", ""),
                document -> document.put("token_endpoint", 7));
        for (var bad : documents) {
            forget();
            discovery = bad;
            assertUnavailable(
                    signIn(nonce -> signed(draft(nonce))), bad.apply(document()).toString());
        }
    }

    private static void assertUnavailable(Browser.Got got, String what) {
        assertThat(got.status()).as(what).isEqualTo(503);
        assertThat(got.error()).isEqualTo("unavailable");
        assertThat(got.headers("Set-Cookie")).isEmpty();
        assertThat(got.headers("Location")).isEmpty();
        assertThat(got.note()).doesNotContain(issuer);
    }

    @Test
    void largeSlowMovedAndBrokenAnswersAreGivenUp() {
        var large = bytes("{\"a\":\"%s\"}".formatted("a".repeat(1 << 20)));
        var good = bytes("{}");
        for (var path : List.of("/.well-known/openid-configuration", "/jwks", "/token")) {
            for (var answer : List.of(
                    new Answer(path, 200, large, Duration.ZERO),
                    new Answer(path, 302, good, Duration.ZERO),
                    new Answer(path, 500, good, Duration.ZERO),
                    new Answer(path, 200, bytes("<html>"), Duration.ZERO),
                    new Answer(path, 200, good, HangLimit.TIME))) {
                forget();
                odd = answer;
                var got = signIn(nonce -> signed(draft(nonce)));
                assertUnavailable(got, path + " " + answer.status());
            }
        }
    }

    @Test
    void theClientsSecretGoesOnlyWhereItBelongs() {
        var sent = Browser.send(engine.url(), "GET", START, "");
        assertThat(sent.header("Location")).doesNotContain("secret");
    }
}
