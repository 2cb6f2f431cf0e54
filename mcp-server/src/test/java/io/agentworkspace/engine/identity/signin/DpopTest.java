package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.SignatureAlgorithm;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.RSAKeyGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Access tokens that are bound to a key of the client (DPoP, RFC 9449), and what others try with such a token. */
class DpopTest extends AuthorizationServerFixture {
    private static final KeyPair ONE = Jwts.SIG.ES256.keyPair().build();
    private static final KeyPair TWO = Jwts.SIG.ES256.keyPair().build();
    private static final String TOKEN = "https://engine.example/oauth/token";
    private static final String MCP = "https://mcp.example/mcp";

    private static Got proven(Map<String, String> form, KeyPair key) {
        return token(form, "DPoP", proof(key, TOKEN));
    }

    private static String proof(KeyPair key, String address) {
        return Proofs.signed(Proofs.draft(key, "POST", address, CLOCK.instant()), key);
    }

    private static String proof(KeyPair key, String address, String token) {
        return Proofs.signed(Proofs.draft(key, "POST", address, CLOCK.instant()).claim("ath", Proofs.hash(token)), key);
    }

    private static Got bound(KeyPair key) {
        var got = proven(exchange(code(), ""), key);
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        assertThat(got.at("/token_type")).isEqualTo("DPoP");
        return got;
    }

    private static Got sent(Replica at, String token, String... headers) {
        return sentTo(at, "/mcp", token, headers);
    }

    private static Got sentTo(Replica at, String path, String token, String... headers) {
        var body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";
        var all = new java.util.ArrayList<>(List.of("Authorization", "DPoP " + token));
        all.addAll(List.of(headers));
        return Browser.send(at.url(), "POST", path, body, all.toArray(String[]::new));
    }

    private static void assertRefused(Got got, String error) {
        assertThat(got.status()).as(got.toString()).isEqualTo(401);
        assertThat(got.header(CHALLENGE))
                .startsWith("DPoP error=\"" + error + "\"")
                .contains("algs=\"ES256 ");
    }

    @Test
    void theMetadataListTheAlgorithms() {
        for (var path :
                List.of("/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp")) {
            assertThat(Browser.send(engine.url(), "GET", path, "")
                            .json()
                            .path("dpop_signing_alg_values_supported")
                            .toString())
                    .contains("ES256", "EdDSA")
                    .doesNotContain("HS256", "none");
        }
    }

    @Test
    void aBoundTokenWorksOnlyWithAProofOfItsKey() {
        var token = bound(ONE).at("/access_token");
        assertThat(sent(engine, token, "DPoP", proof(ONE, MCP, token)).status()).isEqualTo(200);
        assertThat(sent(other, token, "DPoP", proof(ONE, MCP + "/?x=y#z", token))
                        .status())
                .isEqualTo(200);
        assertThat(sent(other, token, "DPoP", proof(ONE, "HTTPS://MCP.example:443/mcp", token))
                        .status())
                .isEqualTo(200);
        assertRefused(call(engine, token), "invalid_token");
        assertRefused(Browser.send(engine.url(), "POST", "/mcp", "{}", "X-Api-Key", token), "invalid_token");
        assertRefused(
                Browser.send(
                        engine.url(),
                        "POST",
                        "/mcp",
                        "{}",
                        "Authorization",
                        "Bearer " + token,
                        "DPoP",
                        proof(ONE, MCP, token)),
                "invalid_token");
        assertRefused(sent(engine, token), "invalid_dpop_proof");
        var agents = "https://engine.example/a2a";
        assertThat(sentTo(engine, "/a2a", token, "DPoP", proof(ONE, agents, token))
                        .status())
                .isEqualTo(200);
        assertRefused(sentTo(engine, "/a2a", token), "invalid_dpop_proof");
        assertRefused(sentTo(engine, "/a2a", token, "DPoP", proof(TWO, agents, token)), "invalid_token");
        assertRefused(sent(engine, token, "DPoP", proof(TWO, MCP, token)), "invalid_token");
        assertRefused(
                sent(engine, token, "DPoP", proof(ONE, MCP, token), "DPoP", proof(ONE, MCP, token)),
                "invalid_dpop_proof");
        var list = "https://engine.example" + ClientApi.path("AP_List");
        var rest = Browser.send(
                engine.url(),
                "POST",
                ClientApi.path("AP_List"),
                "{}",
                "Authorization",
                "DPoP " + token,
                "DPoP",
                proof(ONE, list, token));
        assertThat(rest.status()).isEqualTo(401);
        assertThat(rest.note()).contains("issued for /mcp");
        assertThat(Browser.begin(engine.url(), token).status()).isEqualTo(401);
    }

    @Test
    void aProofWorksOnceOnAllReplicas() {
        var token = bound(ONE).at("/access_token");
        var proof = proof(ONE, MCP, token);
        Callable<Got> here = () -> sent(engine, token, "DPoP", proof);
        Callable<Got> there = () -> sent(other, token, "DPoP", proof);
        var got = Concurrently.all(List.of(here, there, here, there));
        assertThat(got.stream().filter(one -> one.status() == 200)).hasSize(1);
        assertRefused(sent(other, token, "DPoP", proof), "invalid_dpop_proof");
        var form = proof(ONE, TOKEN);
        var first = code();
        var second = code();
        assertThat(token(exchange(first, ""), "DPoP", form).status()).isEqualTo(200);
        var again = AuthorizationServerFixture.form(other, "/oauth/token", encoded(exchange(second, "")), "DPoP", form);
        assertThat(again.at("/error")).as(again.toString()).isEqualTo("invalid_dpop_proof");
        assertThat(again.at("/error_description")).contains("jti");
        assertThat(proven(exchange(second, ""), ONE).status())
                .as("the code is still good")
                .isEqualTo(200);
        CLOCK.advance(Duration.ofMinutes(16));
        engine.clear();
        assertThat(TestDatabase.db()
                        .sql("SELECT count(*) AS n FROM oauth_proof WHERE tenant_id = :tenant")
                        .set("tenant", tenant.id(ClientApi.REST))
                        .one(row -> row.number("n"))
                        .orElseThrow())
                .as("what nobody can use any longer is not kept")
                .isZero();
    }

    @Test
    void whatIsWrongWithAProofIsRefused() throws Exception {
        var got = bound(ONE);
        var token = got.at("/access_token");
        Map<String, UnaryOperator<JwtBuilder>> wrong = new LinkedHashMap<>();
        wrong.put("typ", one -> one.header().type("JWT").and());
        wrong.put("no typ", one -> one.header().type(null).and());
        wrong.put("jwk", one -> one.header().add("jwk", null).and());
        wrong.put("another jwk", one -> one.header().add("jwk", Proofs.jwk(TWO)).and());
        wrong.put(
                "crit",
                one -> one.header().add("crit", List.of("x")).add("x", 1).and());
        wrong.put("htm", one -> one.claim("htm", "GET"));
        wrong.put("no htm", one -> one.claim("htm", null));
        wrong.put("htu", one -> one.claim("htu", "https://evil.example/mcp"));
        wrong.put("htu path", one -> one.claim("htu", "https://mcp.example/mcp/x/work"));
        wrong.put("htu http", one -> one.claim("htu", "http://mcp.example/mcp"));
        wrong.put("no htu", one -> one.claim("htu", null));
        wrong.put("no jti", one -> one.id(null));
        wrong.put("long jti", one -> one.id("x".repeat(256)));
        wrong.put("no iat", one -> one.issuedAt(null));
        wrong.put("ath", one -> one.claim("ath", Proofs.hash("another")));
        wrong.put("no ath", one -> one.claim("ath", null));
        wrong.put("long", one -> one.claim("x", "x".repeat(8_192)));
        for (var each : wrong.entrySet()) {
            var draft = Proofs.draft(ONE, "POST", MCP, CLOCK.instant()).claim("ath", Proofs.hash(token));
            var refused =
                    sent(engine, token, "DPoP", Proofs.signed(each.getValue().apply(draft), ONE));
            assertThat(refused.status()).as(each.getKey()).isEqualTo(401);
            assertThat(refused.header(CHALLENGE)).as(each.getKey()).startsWith("DPoP error=\"invalid_dpop_proof\"");
        }
        var draft = Proofs.draft(ONE, "POST", TOKEN, CLOCK.instant());
        var texts = List.of(
                "eyJ",
                "a.b.c",
                draft.compact(),
                Proofs.draft(ONE, "POST", TOKEN, CLOCK.instant())
                        .signWith(Jwts.SIG.HS256.key().build(), Jwts.SIG.HS256)
                        .compact(),
                Proofs.signed(Proofs.draft(ONE, "POST", TOKEN, CLOCK.instant()), TWO),
                Proofs.withSecret(proof(ONE, TOKEN), ONE));
        for (var text : texts) {
            var refused = token(refresh(got.at("/refresh_token"), ""), "DPoP", text);
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.at("/error")).as(text + refused).isEqualTo("invalid_dpop_proof");
        }
        assertThat(proven(refresh(got.at("/refresh_token"), ""), ONE).status())
                .as("nothing was used up")
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RS256", "PS256", "ES384", "ES512", "EdDSA"})
    void everyAlgorithmThatIsListedProves(String name) {
        var algorithm = (SignatureAlgorithm) Jwts.SIG.get().forKey(name);
        var key = algorithm.keyPair().build();
        var request = request("dpop_jkt=" + Proofs.thumbprint(key));
        var code = parameters(allowed(browser, request)).get("code");
        var form = Proofs.signed(Proofs.draft(key, "POST", TOKEN, CLOCK.instant()), key, algorithm);
        var got = token(exchange(code, ""), "DPoP", form);
        assertThat(got.at("/token_type")).as(got.toString()).isEqualTo("DPoP");
        var token = got.at("/access_token");
        var draft = Proofs.draft(key, "POST", MCP, CLOCK.instant()).claim("ath", Proofs.hash(token));
        assertThat(sent(engine, token, "DPoP", Proofs.signed(draft, key, algorithm))
                        .status())
                .isEqualTo(200);
        assertRefused(sent(engine, token, "DPoP", proof(ONE, MCP, token)), "invalid_token");
    }

    /** Each signature is right; only the key is not one that may sign. */
    @Test
    void aKeyThatIsWeakSlowOrOfAnotherKindProvesNothing() throws Exception {
        var proof = proof(ONE, TOKEN);
        var small = rsa(new RSAKeyGenParameterSpec(1024, RSAKeyGenParameterSpec.F4));
        var slow = rsa(new RSAKeyGenParameterSpec(2048, BigInteger.TWO.pow(89).subtract(BigInteger.ONE)));
        var good = rsa(new RSAKeyGenParameterSpec(2048, RSAKeyGenParameterSpec.F4));
        var agreed = KeyPairGenerator.getInstance("X25519").generateKeyPair();
        var secret = Map.<String, Object>of("kty", "oct", "k", Proofs.hash("secret"));
        var rs = "SHA256withRSA";
        var es = "SHA256withECDSAinP1363Format";
        Map<String, String> wrong = new LinkedHashMap<>();
        wrong.put("small", Proofs.signed(proof, "RS256", Proofs.jwk(small), rs, small.getPrivate()));
        wrong.put("slow", Proofs.signed(proof, "RS256", Proofs.jwk(slow), rs, slow.getPrivate()));
        wrong.put("oct", Proofs.signed(proof, "ES256", secret, es, ONE.getPrivate()));
        wrong.put("X25519", Proofs.signed(proof, "ES256", Proofs.jwk(agreed), es, ONE.getPrivate()));
        wrong.put("RSA as ES256", Proofs.signed(proof, "ES256", Proofs.jwk(good), rs, good.getPrivate()));
        wrong.put("EC as RS256", Proofs.signed(proof, "RS256", Proofs.jwk(ONE), es, ONE.getPrivate()));
        var code = code();
        for (var each : wrong.entrySet()) {
            var refused = token(exchange(code, ""), "DPoP", each.getValue());
            assertThat(refused.at("/error")).as(each.getKey() + refused).isEqualTo("invalid_dpop_proof");
            assertThat(refused.at("/error_description"))
                    .as(each.getKey())
                    .contains(
                            List.of("small", "slow", "oct").contains(each.getKey()) ? "its jwk must be" : "signature");
        }
        var right = Proofs.signed(proof, "RS256", Proofs.jwk(good), rs, good.getPrivate());
        assertThat(token(exchange(code, ""), "DPoP", right).at("/token_type")).isEqualTo("DPoP");
    }

    private static KeyPair rsa(RSAKeyGenParameterSpec spec) throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(spec);
        return generator.generateKeyPair();
    }

    @ParameterizedTest
    @CsvSource({
        "/mcp,             /mcp/",
        "/mcp/,            /mcp",
        "/mcp/x/work,      /mcp/x/work/",
        "/mcp/readonly/,   /mcp/readonly"
    })
    void aProofDoesNotWorkAgainAtAnotherSpellingOfTheAddress(String first, String second) {
        var token = bound(ONE).at("/access_token");
        var proof = proof(ONE, "https://mcp.example" + first, token);
        assertThat(sentTo(engine, first, token, "DPoP", proof).status()).isEqualTo(200);
        assertRefused(sentTo(other, second, token, "DPoP", proof), "invalid_dpop_proof");
    }

    @Test
    void aReplicaWhoseClockIsAheadForgetsNoProofThatOthersAccept() {
        var token = bound(ONE).at("/access_token");
        var draft = Proofs.draft(ONE, "POST", MCP, CLOCK.instant().minusSeconds(200));
        var proof = Proofs.signed(draft.claim("ath", Proofs.hash(token)), ONE);
        assertThat(sent(engine, token, "DPoP", proof).status()).isEqualTo(200);
        try (var ahead = Replica.start(Map.of(), Clock.offset(CLOCK, Duration.ofMinutes(3)))) {
            ahead.clear();
        }
        var again = sent(other, token, "DPoP", proof);
        assertRefused(again, "invalid_dpop_proof");
        assertThat(again.header(CHALLENGE)).contains("used before");
    }

    /** Nobody makes the server verify a signature without the client's secret, if it has one. */
    @Test
    void theClientIsCheckedBeforeItsProof() {
        var key = Map.of("grant_type", "client_credentials", "client_id", "x", "client_secret", "ek_x");
        assertThat(token(key, "DPoP", "eyJ").at("/error")).isEqualTo("invalid_client");
        var secret = exchange("x", "client_secret=wrong");
        assertThat(token(secret, "DPoP", "eyJ").at("/error")).isEqualTo("invalid_client");
    }

    /** With the nonce it does not matter what the client's clock shows. */
    @Test
    void aClockFiveMinutesOffIsFineAndOneThatIsFurtherOffNeedsANonce() {
        for (var off : List.of(Duration.ofSeconds(290), Duration.ofSeconds(-290))) {
            var at = CLOCK.instant().plus(off);
            var got = token(exchange(code(), ""), "DPoP", Proofs.signed(Proofs.draft(ONE, "POST", TOKEN, at), ONE));
            assertThat(got.status()).as(got.toString()).isEqualTo(200);
            var token = got.at("/access_token");
            var draft = Proofs.draft(ONE, "POST", MCP, at).claim("ath", Proofs.hash(token));
            assertThat(sent(engine, token, "DPoP", Proofs.signed(draft, ONE)).status())
                    .isEqualTo(200);
        }
        for (var off : List.of(Duration.ofMinutes(6), Duration.ofMinutes(-6), Duration.ofDays(-9_000))) {
            var at = CLOCK.instant().plus(off);
            var code = code();
            var first = token(exchange(code, ""), "DPoP", Proofs.signed(Proofs.draft(ONE, "POST", TOKEN, at), ONE));
            assertThat(first.status()).isEqualTo(400);
            assertThat(first.at("/error")).isEqualTo("use_dpop_nonce");
            var nonce = first.header("DPoP-Nonce");
            var draft = Proofs.draft(ONE, "POST", TOKEN, at).claim("nonce", nonce);
            var got = AuthorizationServerFixture.form(
                    other, "/oauth/token", encoded(exchange(code, "")), "DPoP", Proofs.signed(draft, ONE));
            assertThat(got.status()).as(got.toString()).isEqualTo(200);
            var token = got.at("/access_token");
            UnaryOperator<JwtBuilder> complete = one -> one.claim("ath", Proofs.hash(token));
            var refused =
                    sent(engine, token, "DPoP", Proofs.signed(complete.apply(Proofs.draft(ONE, "POST", MCP, at)), ONE));
            assertRefused(refused, "use_dpop_nonce");
            var again = complete.apply(Proofs.draft(ONE, "POST", MCP, at)).claim("nonce", refused.header("DPoP-Nonce"));
            var proof = Proofs.signed(again, ONE);
            assertThat(sent(other, token, "DPoP", proof).status()).isEqualTo(200);
            assertRefused(sent(engine, token, "DPoP", proof), "invalid_dpop_proof");
            CLOCK.advance(Duration.ofMinutes(6));
            assertRefused(sent(engine, token, "DPoP", proof), "use_dpop_nonce");
            var forged = complete.apply(Proofs.draft(ONE, "POST", MCP, CLOCK.instant()))
                    .claim("nonce", nonce + "x");
            assertRefused(sent(engine, token, "DPoP", Proofs.signed(forged, ONE)), "use_dpop_nonce");
        }
    }

    @Test
    void theRefreshTokenOfAPublicClientIsBoundToo() {
        var got = bound(ONE);
        var refresh = refresh(got.at("/refresh_token"), "");
        assertThat(token(refresh).at("/error")).isEqualTo("invalid_dpop_proof");
        assertThat(proven(refresh, TWO).at("/error")).isEqualTo("invalid_grant");
        var one = proven(refresh, ONE);
        assertThat(one.at("/token_type")).isEqualTo("DPoP");
        var twin = AuthorizationServerFixture.form(other, "/oauth/token", encoded(refresh), "DPoP", proof(ONE, TOKEN));
        assertThat(twin.status()).as("from another address, within a minute").isEqualTo(200);
        CLOCK.advance(Duration.ofMinutes(2));
        assertThat(proven(refresh, TWO).at("/error")).isEqualTo("invalid_grant");
        assertThat(proven(refresh(one.at("/refresh_token"), ""), ONE).status())
                .as("who has a retired token without the key ends nothing")
                .isEqualTo(200);
        assertThat(proven(refresh, ONE).at("/error")).isEqualTo("invalid_grant");
        await().until(() ->
                proven(refresh(twin.at("/refresh_token"), ""), ONE).at("/error").equals("invalid_grant"));
    }

    @Test
    void aClientWithASecretMayChangeItsKey() {
        var body = Json.object()
                .put("client_name", "Confidential")
                .put("token_endpoint_auth_method", "client_secret_post");
        body.putArray("redirect_uris").add(BACK);
        CLOCK.advance(Duration.ofSeconds(2));
        var made = Browser.send(engine.url(), "POST", "/oauth/register", Json.text(body));
        var login = "client_id=%s&client_secret=%s".formatted(made.at("/client_id"), made.at("/client_secret"));
        var code = parameters(allowed(browser, request("client_id=" + made.at("/client_id"))))
                .get("code");
        var got = proven(exchange(code, login), ONE);
        assertThat(got.at("/token_type")).as(got.toString()).isEqualTo("DPoP");
        var changed = proven(refresh(got.at("/refresh_token"), login), TWO);
        assertThat(changed.status()).as(changed.toString()).isEqualTo(200);
        var token = changed.at("/access_token");
        assertThat(sent(engine, token, "DPoP", proof(TWO, MCP, token)).status()).isEqualTo(200);
        assertRefused(sent(engine, token, "DPoP", proof(ONE, MCP, token)), "invalid_token");
    }

    @Test
    void aCodeCanBeBoundBeforeItIsIssued() {
        var request = request("dpop_jkt=" + Proofs.thumbprint(ONE));
        var code = parameters(allowed(browser, request)).get("code");
        assertThat(token(exchange(code, "")).at("/error")).isEqualTo("invalid_dpop_proof");
        assertThat(proven(exchange(code, ""), TWO).at("/error")).isEqualTo("invalid_grant");
        assertThat(proven(exchange(code, ""), ONE).at("/token_type")).isEqualTo("DPoP");
        issued(code()); // Only a client that the user has allowed before learns what was wrong.
        assertThat(parameters(authorize(request("dpop_jkt=short")).header("Location")))
                .containsEntry("error", "invalid_request");
    }

    @Test
    void aClientCanRequireThatItsTokensAreBound() {
        var body = Json.object().put("client_name", "Careful").put("dpop_bound_access_tokens", true);
        body.putArray("redirect_uris").add(BACK);
        CLOCK.advance(Duration.ofSeconds(2));
        var made = Browser.send(engine.url(), "POST", "/oauth/register", Json.text(body));
        assertThat(made.json().path("dpop_bound_access_tokens").asBoolean()).isTrue();
        var id = "client_id=" + made.at("/client_id");
        var code = parameters(allowed(browser, request(id))).get("code");
        assertThat(token(exchange(code, id)).at("/error")).isEqualTo("invalid_dpop_proof");
        assertThat(proven(exchange(code, id), ONE).at("/token_type")).isEqualTo("DPoP");
        CLOCK.advance(Duration.ofSeconds(2));
        var wrong = Browser.send(
                engine.url(), "POST", "/oauth/register", Json.text(body.put("dpop_bound_access_tokens", "yes")));
        assertThat(wrong.at("/error")).isEqualTo("invalid_client_metadata");
    }

    @Test
    void aProgramWithAKeyGetsBoundTokens() {
        var owner = withAgent("dora", "Doras robot");
        var key = owner.change("POST", "/api/keys", """
                {"name":"robot","agent":"Doras robot","capabilities":["agent:read"]}""").at("/api_key");
        var form = Map.of("grant_type", "client_credentials", "client_id", key.substring(3, 15), "client_secret", key);
        var got = proven(form, ONE);
        var token = got.at("/access_token");
        assertThat(got.at("/token_type")).as(got.toString()).isEqualTo("DPoP");
        assertThat(sent(other, token, "DPoP", proof(ONE, MCP, token)).status()).isEqualTo(200);
        assertRefused(call(other, token), "invalid_token");
        assertRefused(sent(engine, key, "DPoP", proof(ONE, MCP, key)), "invalid_token");
        var rotated = owner.change("POST", "/api/keys/%s/rotate".formatted(token.substring(3, 15)), "{}")
                .at("/api_key");
        var more = Map.of(
                "grant_type",
                "client_credentials",
                "client_id",
                rotated.substring(3, 15),
                "client_secret",
                rotated,
                "resource",
                MCP);
        assertThat(token(more).at("/error")).isEqualTo("invalid_dpop_proof");
        assertThat(proven(more, TWO).at("/error")).isEqualTo("invalid_grant");
        assertThat(proven(more, ONE).at("/token_type")).isEqualTo("DPoP");
    }

    @Test
    void theAccessOfAProgramGetsNoSecretThatIsBoundToNothing() {
        var got = bound(ONE);
        var token = got.at("/access_token");
        var rotated = browser.change("POST", "/api/keys/%s/rotate".formatted(token.substring(3, 15)), "{}");
        assertThat(rotated.status()).as(rotated.toString()).isEqualTo(409);
        assertThat(rotated.note()).contains("AK_Create");
        assertThat(proven(refresh(got.at("/refresh_token"), ""), ONE).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a proof"})
    void aTokenThatIsBoundToNoKeyIsABearerToken(String with) {
        var token = issued(code()).at("/access_token");
        var headers = with.isEmpty() ? new String[0] : new String[] {"DPoP", proof(ONE, MCP, token)};
        assertRefused(sent(engine, token, headers), "invalid_token");
        assertThat(call(engine, token).status()).isEqualTo(200);
    }

    @Test
    void aTokenThatHasEndedIsChallengedInTheSameScheme() {
        var got = bound(ONE);
        var token = got.at("/access_token");
        CLOCK.advance(Duration.ofMinutes(61));
        var expired = sent(engine, token, "DPoP", proof(ONE, MCP, token));
        assertThat(expired.status()).isEqualTo(401);
        assertThat(expired.header(CHALLENGE))
                .startsWith("DPoP error=\"invalid_token\"")
                .contains("resource_metadata=");
        assertThat(form(
                                engine,
                                "/oauth/revoke",
                                encoded(Map.of("client_id", client, "token", got.at("/refresh_token"))))
                        .status())
                .isEqualTo(200);
        assertThat(proven(refresh(got.at("/refresh_token"), ""), ONE).at("/error"))
                .isEqualTo("invalid_grant");
    }
}
