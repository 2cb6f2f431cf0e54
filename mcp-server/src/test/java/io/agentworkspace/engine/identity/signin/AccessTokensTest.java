package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.secrets.MasterKey;
import io.agentworkspace.engine.kernel.secrets.MasterKeys;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.Jwts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** The access tokens of sessions: their content, and the refusal of all others. */
class AccessTokensTest {
    private static final String BASE = "https://engine.example";
    private static final String MCP = "https://mcp.example";
    private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();
    private static final TestClock CLOCK = new TestClock();

    @TempDir
    static Path folder;

    private static Replica engine;
    private static Browser browser;
    private static SigningKeyStore.Signer signer;

    @BeforeAll
    static void start() {
        engine = Replica.start(Map.of("ENGINE_BASE_URL", BASE, "ENGINE_MCP_URL", MCP), CLOCK);
        browser = Browser.signIn(engine.url(), new TestTenant().key(ClientApi.REST, "ann", Role.MEMBER, List.of("*")));
        browser.token();
        var vault = new Vault(TestDatabase.db(), new MasterKeys(MasterKey.parse(TestDatabase.SECRETS_KEY), folder));
        signer = new SigningKeyStore(TestDatabase.db(), vault, CLOCK).signer();
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    private static ObjectNode part(String token, int index) {
        return Json.readObject(Base64.getUrlDecoder().decode(token.split("\\.")[index]));
    }

    private static String part(ObjectNode json) {
        return TEXT.encodeToString(Json.bytes(json));
    }

    private static Browser.Got use(String token) {
        return Browser.bearer(engine.url(), token);
    }

    /** Returns a valid token of the session, for tests to change. */
    private static JwtBuilder draft() {
        var now = CLOCK.instant();
        return Jwts.builder()
                .json(TokenJson.WRITER)
                .header()
                .keyId(signer.id())
                .and()
                .issuer(BASE)
                .audience()
                .add(BASE)
                .and()
                .subject("1")
                .claim("tid", "1")
                .claim("sid", part(browser.token(), 1).get("sid").asString())
                .issuedAt(Date.from(now))
                .expiration(Date.from(now.plus(Duration.ofMinutes(10))))
                .id("x");
    }

    private static String signed(JwtBuilder draft) {
        return draft.signWith(signer.key(), Jwts.SIG.ES256).compact();
    }

    @Test
    void aTokenSaysWhatItIsAndDoesWhatTheSessionDoes() {
        var answer = browser.change("POST", Browser.TOKEN, "");
        assertThat(answer.at("/token_type")).isEqualTo("Bearer");
        assertThat(answer.at("/expires_in")).isEqualTo("600");
        var token = answer.at("/access_token");
        assertThat(part(token, 0).get("alg").asString()).isEqualTo("ES256");
        assertThat(part(token, 0).get("kid").asString()).isEqualTo(signer.id());
        var claims = part(token, 1);
        assertThat(claims.propertyNames())
                .containsExactlyInAnyOrder("iss", "aud", "sub", "tid", "sid", "iat", "exp", "jti");
        assertThat(claims.get("iss").asString()).isEqualTo(BASE);
        assertThat(claims.get("aud").valueStream().map(one -> one.asString())).containsExactlyInAnyOrder(BASE, MCP);
        assertThat(claims.get("exp").asLong() - claims.get("iat").asLong()).isEqualTo(600);
        assertThat(use(token).error()).isEmpty();
        assertThat(Browser.send(
                                engine.url(),
                                "POST",
                                ClientApi.path("US_Read"),
                                "{}",
                                "Authorization",
                                "Bearer " + token)
                        .at("/header/context/user"))
                .isEqualTo("ann");
        assertThat(Browser.send(engine.url(), "POST", "/mcp", """
                {"jsonrpc":"2.0","id":"1","method":"tools/list","params":{}}""", "Authorization", "Bearer " + token)
                        .status())
                .isEqualTo(200);
    }

    @Test
    void thePublishedKeysVerifyItAndHoldNothingPrivate() throws Exception {
        var token = browser.token();
        var published = Browser.send(engine.url(), "GET", "/.well-known/jwks.json", "");
        assertThat(published.headers("Cache-Control")).containsExactly("public, max-age=300");
        var contract = Browser.send(engine.url(), "GET", "/api/openapi.json", "");
        assertThat(contract.headers("Cache-Control")).containsExactly("no-cache");
        var keys = published.json().get("keys");
        assertThat(keys.size()).isBetween(1, 2);
        var ours = keys.valueStream()
                .filter(key -> key.get("kid")
                        .asString()
                        .equals(part(token, 0).get("kid").asString()))
                .findFirst()
                .orElseThrow();
        assertThat(ours.propertyNames()).containsExactlyInAnyOrder("kty", "crv", "use", "alg", "kid", "x", "y");
        var jwk = io.jsonwebtoken.security.Jwks.parser()
                .json(TokenJson.PARSER)
                .build()
                .parse(Json.text(ours));
        var claims = Jwts.parser()
                .json(TokenJson.PARSER)
                .clock(() -> Date.from(CLOCK.instant()))
                .verifyWith((java.security.PublicKey) jwk.toKey())
                .build()
                .parseSignedClaims(token);
        assertThat(claims.getPayload().getIssuer()).isEqualTo(BASE);
    }

    private static Map<String, String> attacks() throws Exception {
        var attacks = new LinkedHashMap<String, String>();
        var token = browser.token();
        var pieces = token.split("\\.");
        var now = CLOCK.instant();
        attacks.put("alg none", part(part(token, 0).put("alg", "none")) + "." + pieces[1] + ".");
        attacks.put("alg None", part(part(token, 0).put("alg", "None")) + "." + pieces[1] + ".");
        attacks.put(
                "none, with the signature",
                part(part(token, 0).put("alg", "none")) + "." + pieces[1] + "." + pieces[2]);
        attacks.put("without a signature", pieces[0] + "." + pieces[1] + ".");
        attacks.put("HS256 with the public key", hmac(part(token, 0).put("alg", "HS256"), pieces[1]));
        attacks.put(
                "ES384 in the header", part(part(token, 0).put("alg", "ES384")) + "." + pieces[1] + "." + pieces[2]);
        attacks.put("without alg", part(part(token, 0).without("alg")) + "." + pieces[1] + "." + pieces[2]);
        attacks.put("zeros as signature", pieces[0] + "." + pieces[1] + "." + TEXT.encodeToString(new byte[64]));
        attacks.put(
                "another kid", signed(draft().header().keyId("0000000000000000").and()));
        attacks.put("no kid", signed(draft().header().keyId(null).and()));
        attacks.put(
                "a path as kid",
                signed(draft().header().keyId("../../etc/passwd").and()));
        attacks.put("SQL as kid", signed(draft().header().keyId("' OR '1'='1").and()));
        attacks.put("another issuer", signed(draft().issuer("https://evil.example")));
        attacks.put("the issuer with a slash", signed(draft().issuer(BASE + "/")));
        attacks.put("no issuer", signed(draft().issuer(null)));
        attacks.put(
                "another audience",
                signed(draft().audience().clear().add("https://evil.example").and()));
        attacks.put("no audience", signed(draft().audience().clear().and()));
        attacks.put("expired", signed(draft().expiration(Date.from(now.minusSeconds(1)))));
        attacks.put("without an end", signed(draft().expiration(null)));
        attacks.put("issued tomorrow", signed(draft().issuedAt(Date.from(now.plus(Duration.ofDays(1))))));
        attacks.put("never issued", signed(draft().issuedAt(null)));
        attacks.put("of no session", signed(draft().claim("sid", "nobody")));
        attacks.put("without a session", signed(draft().claim("sid", null)));
        attacks.put("a number as session", signed(draft().claim("sid", 7)));
        attacks.put("compressed", signed(draft().compressWith(Jwts.ZIP.DEF)));
        attacks.put(
                "an unknown critical header",
                signed(draft().header().add("crit", List.of("x")).add("x", 1).and()));
        var stranger = KeyPairGenerator.getInstance("EC");
        stranger.initialize(new ECGenParameterSpec("secp256r1"));
        var foreign = stranger.generateKeyPair();
        attacks.put(
                "a stranger's key under our kid",
                draft().signWith(foreign.getPrivate(), Jwts.SIG.ES256).compact());
        attacks.put("claims changed", pieces[0] + "." + part(part(token, 1).put("sub", "1")) + "." + pieces[2]);
        attacks.put("five parts", token + ".a.b");
        attacks.put("a very long one", pieces[0] + "." + "A".repeat(5_000) + "." + pieces[2]);
        attacks.put(
                "no JSON",
                TEXT.encodeToString("{".getBytes(StandardCharsets.US_ASCII)) + "." + pieces[1] + "." + pieces[2]);
        return attacks;
    }

    private static String hmac(ObjectNode header, String claims) throws Exception {
        var key = Browser.send(engine.url(), "GET", "/.well-known/jwks.json", "")
                .response()
                .body();
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        var body = part(header) + "." + claims;
        return body + "." + TEXT.encodeToString(mac.doFinal(body.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void noForgedTokenIsTakenAndAllAreRefusedInTheSameWords() throws Exception {
        assertThat(use(signed(draft())).error())
                .as("the unchanged draft is accepted")
                .isEmpty();
        var notes = new HashSet<String>();
        for (var attack : attacks().entrySet()) {
            var answer = use(attack.getValue());
            assertThat(answer.status()).as(attack.getKey()).isEqualTo(401);
            assertThat(answer.error()).as(attack.getKey()).isEqualTo("unauthenticated");
            assertThat(answer.headers("WWW-Authenticate")).isEmpty();
            if (!List.of("five parts", "a very long one").contains(attack.getKey())) {
                notes.add(answer.note()); // Those two do not even have the form of a token.
            }
        }
        assertThat(notes).singleElement().asString().contains("/api/auth/token");
    }

    @Tag("slow")
    @Test
    void noMutatedTokenIsTaken() {
        var random = new Random(4);
        var token = browser.token();
        var tried = new ArrayList<String>();
        for (var i = 0; i < 1_500; i++) {
            var at = random.nextInt(token.length());
            var letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".charAt(random.nextInt(64));
            var mutated = token.substring(0, at) + letter + token.substring(at + 1);
            if (!mutated.equals(token) && use(mutated).error().isEmpty()) {
                tried.add(mutated);
            }
        }
        assertThat(tried).isEmpty();
    }

    @Test
    void aTokenEndsAfterTenMinutesAlsoWhereItIsRemembered() {
        var token = browser.token();
        assertThat(use(token).error()).isEmpty();
        CLOCK.advance(Duration.ofMinutes(9));
        assertThat(use(token).error()).isEmpty();
        CLOCK.advance(Duration.ofSeconds(61));
        assertThat(use(token).error()).isEqualTo("unauthenticated");
    }

    @Test
    void keysChangeEveryThirtyDaysAndTwoAreBelieved() {
        try (var db = TestDatabase.fresh("signing_keys")) {
            var clock = new TestClock();
            var vault = new Vault(db, new MasterKeys(null, folder));
            var keys = new SigningKeyStore(db, vault, clock);
            var elsewhere = new SigningKeyStore(db, vault, clock);
            var first = keys.signer();
            assertThat(elsewhere.signer().id()).isEqualTo(first.id());
            clock.advance(SigningKeyStore.REIGN.minusMinutes(10));
            assertThat(keys.signer().id()).isEqualTo(first.id());
            clock.advance(Duration.ofMinutes(11));
            var second = keys.signer();
            assertThat(second.id()).isNotEqualTo(first.id());
            assertThat(elsewhere.find(second.id())).isPresent();
            assertThat(elsewhere.published().stream().map(SigningKeyStore.Published::id))
                    .containsExactly(second.id(), first.id());
            clock.advance(SigningKeyStore.REIGN);
            var third = elsewhere.signer();
            clock.advance(Duration.ofSeconds(2));
            assertThat(keys.published().stream().map(SigningKeyStore.Published::id))
                    .containsExactly(third.id(), second.id());
            assertThat(keys.find(first.id())).isEmpty();
            keys.purge(clock.instant());
            assertThat(db.sql("SELECT id FROM signing_key ORDER BY created_at").list(row -> row.text("id")))
                    .containsExactly(second.id(), third.id());
        }
    }

    @Test
    void aTokenOfACutOffSessionIsForNobody() {
        var gone = Browser.signIn(engine.url(), new TestTenant().key(ClientApi.REST, "bob", Role.MEMBER, List.of("*")));
        var token = gone.token();
        assertThat(use(token).error()).isEmpty();
        gone.change("DELETE", Browser.SESSION, "");
        assertThat(use(token).error()).isEqualTo("unauthenticated");
    }
}
