package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.json.Json;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.Jwks;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** Clients that describe themselves, and prove with a key of their own who they are (private_key_jwt). */
class ClientKeysTest extends AuthorizationServerFixture {
    private static final String ISSUER = "https://engine.example";
    private static final KeyPair ONE = Jwts.SIG.ES256.keyPair().build();
    private static final KeyPair TWO = Jwts.SIG.ES256.keyPair().build();
    private static final Map<String, String> SERVED = new ConcurrentHashMap<>();
    private static final AtomicInteger READS = new AtomicInteger();

    private static String address(String path) {
        return "http://127.0.0.1:%d%s".formatted(documents.getAddress().getPort(), path);
    }

    private static String serve(String path, String body) {
        if (SERVED.put(path, body) == null) {
            documents.createContext(path, exchange -> {
                READS.incrementAndGet();
                var bytes = SERVED.get(path).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
                exchange.close();
            });
        }
        return address(path);
    }

    private static ObjectNode jwks(Map<String, KeyPair> keys) {
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
        return set;
    }

    /** Serves the description of a client, and returns its id. */
    private static String described(Function<ObjectNode, ObjectNode> fields) {
        var path = "/" + UUID.randomUUID() + ".json";
        var document = Json.object().put("client_id", address(path)).put("client_name", "Signs");
        document.putArray("redirect_uris").add(BACK);
        return serve(path, Json.text(fields.apply(document)));
    }

    private static String keyed() {
        return described(
                one -> one.put("token_endpoint_auth_method", "private_key_jwt").set("jwks", jwks(Map.of("one", ONE))));
    }

    private static JwtBuilder draft(String client) {
        var now = CLOCK.instant();
        return Jwts.builder()
                .json(TokenJson.WRITER)
                .header()
                .keyId("one")
                .and()
                .issuer(client)
                .subject(client)
                .audience()
                .add(ISSUER + "/oauth/token")
                .and()
                .id(UUID.randomUUID().toString())
                .issuedAt(Date.from(now))
                .expiration(Date.from(now.plus(Duration.ofMinutes(5))));
    }

    private static String signed(JwtBuilder draft) {
        return draft.signWith(ONE.getPrivate(), Jwts.SIG.ES256).compact();
    }

    private static Map<String, String> with(Map<String, String> form, String client, String assertion) {
        var all = AuthorizationServerFixture.with(form, "client_id=" + client);
        if (!assertion.isEmpty()) {
            all.put("client_assertion_type", ClientAssertions.TYPE);
            all.put("client_assertion", assertion);
        }
        return all;
    }

    private static String codeOf(String client) {
        return parameters(allowed(browser, request("client_id=" + client))).get("code");
    }

    private static Got exchanged(String client, String assertion) {
        return token(with(exchange(codeOf(client), ""), client, assertion));
    }

    @Test
    void aClientWithKeysGetsAndRenewsTokens() {
        var inline = keyed();
        var set = serve("/" + UUID.randomUUID() + "/jwks", Json.text(jwks(Map.of("one", ONE))));
        var fetched = described(
                one -> one.put("token_endpoint_auth_method", "private_key_jwt").put("jwks_uri", set));
        for (var id : List.of(inline, fetched)) {
            for (var audience : List.of(ISSUER, ISSUER + "/oauth/token", ISSUER + "/token")) {
                var got = exchanged(
                        id, signed(draft(id).audience().clear().add(audience).and()));
                assertThat(got.status()).as(got.toString()).isEqualTo(200);
                assertThat(mcp(engine, got.at("/access_token"))).isEqualTo(200);
                var renewal = refresh(got.at("/refresh_token"), "");
                assertThat(token(with(renewal, id, "")).at("/error")).isEqualTo("invalid_client");
                var nameless = with(renewal, id, signed(draft(id)));
                nameless.remove("client_id");
                var again = token(nameless);
                assertThat(mcp(engine, again.at("/access_token"))).isEqualTo(200);
                var end = Map.of("token", again.at("/access_token"));
                assertThat(form(engine, "/oauth/revoke", encoded(with(end, id, "")))
                                .status())
                        .isEqualTo(401);
                assertThat(form(engine, "/oauth/revoke", encoded(with(end, id, signed(draft(id)))))
                                .status())
                        .isEqualTo(200);
                await().until(() -> mcp(engine, again.at("/access_token")) == 401);
            }
        }
    }

    @Test
    void whatIsWrongWithAnAssertionIsRefused() throws Exception {
        var id = keyed();
        var code = codeOf(id);
        var rsa = KeyPairGenerator.getInstance("RSA");
        rsa.initialize(2048);
        var now = CLOCK.instant();
        var wrong = new java.util.LinkedHashMap<String, UnaryOperator<JwtBuilder>>();
        wrong.put("iss", one -> one.issuer("https://evil.example"));
        wrong.put("sub", one -> one.subject("https://evil.example/c.json"));
        wrong.put(
                "aud", one -> one.audience().clear().add("https://evil.example").and());
        wrong.put("more aud", one -> one.audience().add("https://evil.example").and());
        wrong.put("exp", one -> one.expiration(Date.from(now.minusSeconds(330))));
        wrong.put("late exp", one -> one.expiration(Date.from(now.plus(Duration.ofHours(2)))));
        wrong.put("no exp", one -> one.expiration(null));
        wrong.put("nbf", one -> one.notBefore(Date.from(now.plusSeconds(330))));
        wrong.put("iat", one -> one.issuedAt(Date.from(now.plusSeconds(330))));
        wrong.put("jti", one -> one.id(null));
        wrong.put("long jti", one -> one.id("x".repeat(256)));
        wrong.put("kid", one -> one.header().keyId("two").and());
        wrong.put("long", one -> one.claim("x", "x".repeat(8_192)));
        for (var each : wrong.entrySet()) {
            var got = token(with(exchange(code, ""), id, signed(each.getValue().apply(draft(id)))));
            assertThat(got.at("/error")).as(each.getKey() + got).isEqualTo("invalid_client");
            assertThat(got.status()).isEqualTo(401);
        }
        var unsigned = draft(id).header().keyId(null).and().compact();
        var symmetric =
                draft(id).signWith(Jwts.SIG.HS256.key().build(), Jwts.SIG.HS256).compact();
        var another = draft(id).signWith(TWO.getPrivate(), Jwts.SIG.ES256).compact();
        var ofRsa = draft(id)
                .signWith(rsa.generateKeyPair().getPrivate(), Jwts.SIG.RS256)
                .compact();
        for (var text : List.of(unsigned, symmetric, another, ofRsa, "eyJ", "a.b.c")) {
            assertThat(token(with(exchange(code, ""), id, text)).at("/error")).isEqualTo("invalid_client");
        }
        assertThat(token(with(exchange(code, ""), id, "")).at("/error")).isEqualTo("invalid_client");
        var untyped = with(exchange(code, ""), id, signed(draft(id)));
        untyped.remove("client_assertion_type");
        assertThat(token(untyped).at("/error")).isEqualTo("invalid_client");
        assertThat(token(with(exchange(code, ""), id, signed(draft(id)))).status())
                .as("the code is still good")
                .isEqualTo(200);
    }

    /** Whichever of the two clocks is wrong. */
    @ParameterizedTest
    @ValueSource(ints = {-290, 290})
    void aClockFiveMinutesOffIsFine(int seconds) {
        var id = keyed();
        var at = CLOCK.instant().plusSeconds(seconds);
        var assertion = signed(
                draft(id).issuedAt(Date.from(at)).notBefore(Date.from(at)).expiration(Date.from(at.plusSeconds(60))));
        var got = exchanged(id, assertion);
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        assertThat(token(with(refresh(got.at("/refresh_token"), ""), id, assertion))
                        .at("/error_description"))
                .as("it still works once")
                .contains("jti");
    }

    @Test
    void anAssertionWorksOnce() {
        var id = keyed();
        var assertion = signed(draft(id));
        var got = exchanged(id, assertion);
        var again = token(with(refresh(got.at("/refresh_token"), ""), id, assertion));
        assertThat(again.at("/error")).isEqualTo("invalid_client");
        assertThat(again.at("/error_description")).contains("jti");
        assertThat(token(with(refresh(got.at("/refresh_token"), ""), id, signed(draft(id))))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void oneThatAlsoListsNoneIsAPublicClient() {
        for (var methods : List.of(
                "{'token_endpoint_auth_method':['private_key_jwt','none']}",
                "{'token_endpoint_auth_method':'private_key_jwt','token_endpoint_auth_methods_supported':['none','private_key_jwt']}",
                "{'token_endpoint_auth_method':'none','jwks_uri':'https://client.example/jwks'}",
                "{'token_endpoint_auth_methods_supported':['client_secret_basic','none']}")) {
            var more = Json.readObject(methods.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            var id = described(one -> {
                one.setAll(more);
                return one;
            });
            assertThat(exchanged(id, "").status()).as(methods).isEqualTo(200);
        }
        var both = described(one -> {
            one.putArray("token_endpoint_auth_method").add("none").add("private_key_jwt");
            return one.set("jwks", jwks(Map.of("one", ONE)));
        });
        assertThat(exchanged(both, signed(draft(both))).status()).isEqualTo(200);
        var forged = draft(both).signWith(TWO.getPrivate(), Jwts.SIG.ES256).compact();
        assertThat(exchanged(both, forged).at("/error")).isEqualTo("invalid_client");
    }

    @Test
    void aNewKeyIsFetchedAtMostOnceAMinute() {
        var path = "/" + UUID.randomUUID() + "/jwks";
        var set = serve(path, Json.text(jwks(Map.of("one", ONE))));
        var id = described(
                one -> one.put("token_endpoint_auth_method", "private_key_jwt").put("jwks_uri", set));
        var got = exchanged(id, signed(draft(id)));
        SERVED.put(path, Json.text(jwks(Map.of("two", TWO))));
        UnaryOperator<JwtBuilder> byTwo = one -> one.header().keyId("two").and();
        var refresh = refresh(got.at("/refresh_token"), "");
        var before = READS.get();
        for (var i = 0; i < 5; i++) {
            var early = byTwo.apply(draft(id))
                    .signWith(TWO.getPrivate(), Jwts.SIG.ES256)
                    .compact();
            assertThat(token(with(refresh, id, early)).at("/error")).isEqualTo("invalid_client");
        }
        assertThat(READS).hasValue(before);
        CLOCK.advance(Duration.ofSeconds(61));
        var later = byTwo.apply(draft(id))
                .signWith(TWO.getPrivate(), Jwts.SIG.ES256)
                .compact();
        assertThat(token(with(refresh, id, later)).status()).isEqualTo(200);
        assertThat(READS).hasValue(before + 1);
    }

    @Test
    void nobodyMakesTheEngineFetchKeysWithoutACodeOrToken() {
        var id = keyed();
        var before = READS.get();
        for (var form : List.of(
                exchange("ec_" + "0".repeat(48), ""),
                refresh("er_" + "0".repeat(48), ""),
                Map.of("grant_type", "client_credentials"))) {
            assertThat(token(with(form, id, signed(draft(id)))).status()).isIn(400, 401);
        }
        form(engine, "/oauth/revoke", encoded(with(Map.of("token", "er_x"), id, signed(draft(id)))));
        assertThat(READS).hasValue(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'token_endpoint_auth_method':'private_key_jwt'}",
                "{'token_endpoint_auth_method':'private_key_jwt','jwks':{'keys':[]}}",
                "{'token_endpoint_auth_method':'private_key_jwt','jwks':{'keys':[{'kty':'oct','k':'c2VjcmV0'}]}}",
                "{'token_endpoint_auth_method':'private_key_jwt','jwks_uri':'file:///etc/passwd'}",
                "{'token_endpoint_auth_method':'private_key_jwt','jwks_uri':'javascript:1'}",
                "{'token_endpoint_auth_method':'client_secret_basic'}",
                "{'token_endpoint_auth_method':'client_secret_jwt'}",
                "{'token_endpoint_auth_method':'none','client_secret':'x'}"
            })
    void aDescriptionThatNoClientCouldUseIsRefused(String fields) {
        var more = Json.readObject(fields.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        var id = described(one -> {
            one.setAll(more);
            return one;
        });
        var got = authorize(request("client_id=" + id));
        assertThat(got.status()).as(got.toString()).isEqualTo(400);
    }

    @Test
    void keysAreLimitedInNumberAndSize() throws Exception {
        var many = Json.object();
        var listed = many.putArray("keys");
        for (var i = 0; i < 21; i++) {
            listed.add(jwks(Map.of("k" + i, ONE)).path("keys").get(0));
        }
        var small = KeyPairGenerator.getInstance("RSA");
        small.initialize(1024);
        var weak = Json.object();
        var plain = weak.putArray("keys").addObject();
        Jwks.builder()
                .key((java.security.interfaces.RSAPublicKey)
                        small.generateKeyPair().getPublic())
                .id("one")
                .build()
                .forEach((name, value) -> plain.put(name, String.valueOf(value)));
        for (var set : List.of(many, weak)) {
            var id = described(one ->
                    one.put("token_endpoint_auth_method", "private_key_jwt").set("jwks", set));
            assertThat(authorize(request("client_id=" + id)).status()).isEqualTo(400);
        }
    }

    @Test
    void theMetadataListWhatIsAccepted() {
        var metadata = Browser.send(engine.url(), "GET", "/.well-known/oauth-authorization-server", "")
                .json();
        assertThat(metadata.path("token_endpoint_auth_methods_supported").toString())
                .contains("none", "private_key_jwt");
        assertThat(metadata.path("token_endpoint_auth_signing_alg_values_supported")
                        .toString())
                .contains("ES256", "RS256")
                .doesNotContain("HS256", "none");
    }
}
