package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.jsonwebtoken.Jwts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Access that a trusted issuer gives a client for a user (ID-JAG), and what hostile clients and issuers try at it. */
class IdentityAssertionsTest extends IdentityAssertionsFixture {
    @Test
    void aUserOfATrustedIssuerGetsATokenOfAnAgentOfTheirs() {
        var got = token(draft("paula"));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        assertThat(got.at("/access_token")).startsWith("ea_");
        assertThat(got.at("/scope")).isEqualTo("agent:read bank:read");
        assertThat(got.json().path("expires_in").asLong()).isEqualTo(3600);
        assertThat(got.json().has("refresh_token")).isFalse();
        var second = token(draft("paula"));
        assertThat(AuthorizationServerFixture.mcp(other, got.at("/access_token")))
                .isEqualTo(200);
        assertThat(AuthorizationServerFixture.mcp(other, second.at("/access_token")))
                .isEqualTo(200);
        assertThat(agents("Acme IDE of paula%")).isEqualTo(1);
        CLOCK.advance(Duration.ofMinutes(61));
        assertThat(AuthorizationServerFixture.mcp(engine, got.at("/access_token")))
                .isEqualTo(401);
    }

    @Test
    void theMetadataSaySo() {
        var got = Browser.send(engine.url(), "GET", "/.well-known/oauth-authorization-server", "");
        assertThat(got.json().path("grant_types_supported").toString()).contains(JWT_BEARER);
        assertThat(got.json().path("authorization_grant_profiles_supported").toString())
                .contains("id-jag");
        assertThat(client.json().path("grant_types").toString()).contains(JWT_BEARER);
    }

    /** A claim or a header of the assertion is changed; without a value it is left out. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            typ                | JWT
            typ                | at+jwt
            typ                |
            iss                | https://evil.example
            iss                | https://engine.example
            iss                |
            aud                | https://evil.example
            aud                | https://mcp.example/mcp
            aud                | https://engine.example/
            aud                |
            client_id          | client_of_somebody_else
            client_id          |
            resource           | https://evil.example/mcp
            resource           | https://mcp.example
            resource           |
            sub                |
            jti                |
            exp                | 1
            exp                | 99999999999
            exp                |
            iat                | 99999999999
            iat                |
            nbf                | 99999999999
            scope              | fly openid
            cnf                | {}
            email_verified     | false
            email              | eve@evil.example
            """)
    void aWrongAssertionIsRefused(String name, String value) {
        var draft = draft("quentin");
        if (name.equals("typ")) {
            draft.header().add("typ", value).and();
        } else if (value != null && value.matches("[0-9]+")) {
            draft.claim(name, Long.parseLong(value));
        } else {
            draft.claim(name, "false".equals(value) ? Boolean.FALSE : value);
        }
        var got = token(draft);
        assertThat(got.status()).as(got.toString()).isEqualTo(400);
        assertThat(got.at("/error")).isEqualTo("invalid_grant");
        assertThat(got.at("/error_description")).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            client_secret=                          | invalid_client
            client_secret=wrong                     | invalid_client
            client_id=client_unknown00000           | invalid_client
            client_assertion=eyJ                    | invalid_client
            assertion=                              | invalid_request
            assertion=eyJ                           | invalid_grant
            resource=https://evil.example/mcp       | invalid_target
            scope=agent:read webhook:write          | invalid_scope
            """)
    void aWrongRequestIsRefusedAndUsesNothingUp(String change, String error) {
        var right = parameters(issuer.signed(draft("rita")));
        var got = token(engine, AuthorizationServerFixture.with(right, change));
        assertThat(got.at("/error")).as(got.toString()).isEqualTo(error);
        assertThat(token(engine, right).status()).isEqualTo(200);
    }

    @Test
    void aClientWithoutASecretOrAnotherOneIsRefused() {
        var open = registered("none").at("/client_id");
        var stolen = AuthorizationServerFixture.with(
                parameters(issuer.signed(draft("sam"))), "client_id=" + open + "&client_secret=");
        assertThat(token(engine, stolen).at("/error")).isEqualTo("unauthorized_client");
        var second = registered("client_secret_post");
        var mixed = AuthorizationServerFixture.with(
                parameters(issuer.signed(draft("sam"))),
                "client_id=%s&client_secret=%s".formatted(second.at("/client_id"), second.at("/client_secret")));
        assertThat(token(engine, mixed).at("/error")).isEqualTo("invalid_grant");
    }

    @Test
    void anAssertionWorksOnceOnAllReplicas() {
        var parameters = parameters(issuer.signed(draft("tina")));
        Callable<Got> here = () -> token(engine, parameters);
        Callable<Got> there = () -> token(other, parameters);
        var got = Concurrently.all(List.of(here, there, here, there));
        assertThat(got.stream().filter(one -> one.status() == 200)).hasSize(1);
        assertThat(token(other, parameters).at("/error_description")).contains("used before");
        assertThat(agents("Acme IDE of tina%")).isEqualTo(1);
    }

    @Test
    void onlyTheKeyOfATrustedIssuerSigns() {
        var forged = new ArrayList<String>();
        forged.add(issuer.signed(draft("ulla"), "unpublished"));
        forged.add(stranger.signed(draft("ulla")));
        forged.add(stranger.signed(draft(stranger, "ulla")));
        forged.add(LocalIssuer.spelledOtherwise(issuer.signed(draft("ulla"))));
        forged.add(draft("ulla").compact());
        forged.add(issuer.signed(
                draft("ulla").header().add("jku", stranger.address() + "/jwks").and(), "evil"));
        forged.add(issuer.signed(issuer.draft("https://mcp.example/mcp", "ulla", "*")));
        for (var text : forged) {
            assertThat(token(engine, parameters(text)).at("/error")).as(text).isEqualTo("invalid_grant");
        }
        assertThat(stranger.askedForKeys())
                .as("an issuer without a tenant is not asked")
                .isZero();
    }

    @Test
    void anIssuerThatDoesNotAnswerUsesNothingUp() {
        issuer.down(true);
        var parameters = parameters(issuer.signed(draft("vera"), "newer"));
        issuer.publish("newer");
        assertThat(token(engine, parameters).status()).isEqualTo(503);
        issuer.down(false);
        CLOCK.advance(Duration.ofMinutes(2));
        assertThat(token(engine, parameters).status()).isEqualTo(200);
    }

    @Test
    void accessEndsWithTheUserAndARemovedUserDoesNotComeBack() {
        var got = token(draft("willi"));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        var owner = tenant.key(ClientApi.REST, "boss", Role.OWNER, List.of("*"));
        var removed = ClientApi.REST.call(engine.url(), owner, "US_Remove", object("{'target':{'user':'willi'}}"));
        assertThat(removed.toString()).contains("true");
        await().until(() -> AuthorizationServerFixture.mcp(other, got.at("/access_token")) == 401);
        assertThat(token(draft("willi")).at("/error")).isEqualTo("invalid_grant");
    }

    @Test
    void theClientCanEndIt() {
        var got = token(draft("xenia"));
        var parameters = Map.of(
                "client_id", client.at("/client_id"),
                "client_secret", client.at("/client_secret"),
                "token", got.at("/access_token"));
        assertThat(AuthorizationServerFixture.form(
                                other, "/oauth/revoke", AuthorizationServerFixture.encoded(parameters))
                        .status())
                .isEqualTo(200);
        await().until(() -> AuthorizationServerFixture.mcp(engine, got.at("/access_token")) == 401);
    }

    @Test
    void anAgentOfThisNameThatIsSomebodyElsesIsNotTaken() {
        var eve = tenant.key(ClientApi.REST, "eve", Role.MEMBER, List.of("*"));
        ClientApi.REST.call(
                engine.url(), eve, "AP_Create", object("{'vx':{'name':'Acme IDE of yuri','description':'d'}}"));
        var got = token(draft("yuri"));
        assertThat(got.status()).as(got.toString()).isBetween(400, 499);
        assertThat(got.json().has("access_token")).isFalse();
    }

    /** A structured identifier of the user (RFC 9493), instead of sub or beside it. */
    @ParameterizedTest
    @ValueSource(strings = {"{'format':'iss_sub','iss':'ISSUER','sub':'zoe'}", "{'format':'opaque','id':'zoe'}"})
    void aUserCanBeNamedByAStructuredIdentifier(String subId) {
        assertThat(token(draft("zoe")).status()).isEqualTo(200);
        var got = token(named("zoe", subId));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        assertThat(token(named("zoe", subId).subject("zoe")).status()).isEqualTo(200);
        assertThat(agents("Acme IDE of zoe%")).as("the same user").isEqualTo(1);
        var mixed = token(named("zoe", subId).subject("mallory").claim("email", "mallory@example.org"));
        assertThat(mixed.at("/error")).isEqualTo("invalid_grant");
        assertThat(mixed.at("/error_description")).contains("different users");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'format':'iss_sub','iss':'https://evil.example','sub':'zoe'}",
                "{'format':'iss_sub','iss':'ISSUER'}",
                "{'format':'opaque','id':''}",
                "{'format':'opaque','id':7}",
                "{'format':'email','email':'nobody@example.org'}",
                "{'format':'email'}",
                "{'format':'phone_number','phone_number':'+12065550100'}",
                "{'format':'aliases','identifiers':[{'format':'opaque','id':'zoe'}]}",
                "{}"
            })
    void anIdentifierThatNamesNobodyIsRefused(String subId) {
        var got = token(named("zoe", subId));
        assertThat(got.status()).as(got.toString()).isEqualTo(400);
        assertThat(got.at("/error")).isEqualTo("invalid_grant");
        assertThat(got.at("/error_description")).contains("sub_id");
    }

    @Test
    void anAssertionMayNameSeveralResourcesOfWhichTheClientChoosesOne() {
        var mcp = "https://mcp.example/mcp";
        var one = token(draft("nils").claim("resource", List.of("https://chat.example/api", mcp + "/")));
        assertThat(one.at("/resource")).as(one.toString()).isEqualTo(mcp);
        var several =
                parameters(issuer.signed(draft("nils").claim("resource", List.of(mcp + "/x/bank", mcp + "/x/agent"))));
        assertThat(token(engine, several).at("/error")).isEqualTo("invalid_target");
        var other = AuthorizationServerFixture.with(several, "resource=" + mcp);
        assertThat(token(engine, other).at("/error")).isEqualTo("invalid_target");
        var chosen = token(engine, AuthorizationServerFixture.with(several, "resource=" + mcp + "/x/bank/readonly"));
        assertThat(chosen.at("/resource")).as(chosen.toString()).isEqualTo(mcp + "/x/bank/readonly");
        assertThat(AuthorizationServerFixture.mcp(engine, chosen.at("/access_token")))
                .as("only there")
                .isEqualTo(401);
        var narrow = parameters(issuer.signed(draft("nils")));
        var read = token(engine, AuthorizationServerFixture.with(narrow, "resource=" + mcp + "/readonly"));
        assertThat(read.at("/resource")).isEqualTo(mcp + "/readonly");
    }

    @Test
    void anAssertionThatIsBoundToAKeyNeedsIt() {
        var key = Jwts.SIG.ES256.keyPair().build();
        var stranger = Jwts.SIG.ES256.keyPair().build();
        var bound = parameters(issuer.signed(draft("olga").claim("cnf", Map.of("jkt", Proofs.thumbprint(key)))));
        assertThat(token(engine, bound).at("/error_description")).contains("cnf");
        assertThat(proven(bound, stranger).at("/error")).isEqualTo("invalid_grant");
        var got = proven(bound, key);
        assertThat(got.at("/token_type")).as(got.toString()).isEqualTo("DPoP");
        assertThat(AuthorizationServerFixture.mcp(other, got.at("/access_token")))
                .as("without a proof")
                .isEqualTo(401);
        var free = proven(parameters(issuer.signed(draft("olga"))), stranger);
        assertThat(free.at("/token_type")).isEqualTo("DPoP");
        var strange = draft("olga").claim("cnf", Map.of("x5t#S256", Proofs.thumbprint(key)));
        assertThat(proven(parameters(issuer.signed(strange)), key).at("/error")).isEqualTo("invalid_grant");
    }

    /** A client with a metadata document needs no registration; its keys are fetched only once a trusted issuer has named it. */
    @Test
    void aClientWithAMetadataDocumentProvesWhoItIsWithItsKey() throws IOException {
        var key = Jwts.SIG.ES256.keyPair().build();
        var reads = new AtomicInteger();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var id = "http://127.0.0.1:%d/client.json".formatted(server.getAddress().getPort());
        var document = Json.object().put("client_id", id).put("client_name", "Docs");
        document.putArray("redirect_uris").add("https://client.example/callback");
        document.put("token_endpoint_auth_method", "private_key_jwt");
        document.putObject("jwks").putArray("keys").add(Json.valueTree(Proofs.jwk(key)));
        server.createContext("/client.json", exchange -> {
            reads.incrementAndGet();
            var bytes = Json.text(document).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        try {
            var form = new LinkedHashMap<>(Map.of("grant_type", JWT_BEARER, "client_id", id));
            form.put("client_assertion_type", ClientAssertions.TYPE);
            form.put("client_assertion", signed(id, key));
            form.put(
                    "assertion",
                    issuer.signed(draft("petra").claim("client_id", "https://another.example/client.json")));
            assertThat(token(engine, form).at("/error")).isEqualTo("invalid_grant");
            assertThat(reads).as("nobody else makes the engine fetch anything").hasValue(0);
            form.put("assertion", issuer.signed(draft("petra").claim("client_id", id)));
            form.put("client_assertion", signed(id, Jwts.SIG.ES256.keyPair().build()));
            assertThat(token(engine, form).at("/error")).isEqualTo("invalid_client");
            assertThat(email("petra"))
                    .as("who has a stolen assertion brings in nobody")
                    .isEmpty();
            form.put("client_assertion", signed(id, key));
            var got = token(engine, form);
            assertThat(got.status()).as(got.toString()).isEqualTo(200);
            assertThat(agents("Docs 127.0.0.1 of petra%")).isEqualTo(1);
            form.put("assertion", issuer.signed(draft("petra").claim("client_id", id)));
            assertThat(token(engine, form).at("/error_description")).contains("jti");
            form.remove("client_assertion");
            form.remove("client_assertion_type");
            assertThat(token(engine, form).at("/error")).isEqualTo("unauthorized_client");
        } finally {
            server.stop(0);
        }
    }

    private static String signed(String id, KeyPair key) {
        return Jwts.builder()
                .json(TokenJson.WRITER)
                .issuer(id)
                .subject(id)
                .claim("aud", "https://engine.example")
                .id(UUID.randomUUID().toString())
                .expiration(Date.from(CLOCK.instant().plus(Duration.ofMinutes(5))))
                .signWith(key.getPrivate(), Jwts.SIG.ES256)
                .compact();
    }
}
