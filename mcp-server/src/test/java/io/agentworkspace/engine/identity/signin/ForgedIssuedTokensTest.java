package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.Replica;
import io.jsonwebtoken.Jwts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Invalid tokens, and an issuer that changes its keys or is unreachable. */
@Tag("slow")
class ForgedIssuedTokensTest extends IssuedTokensFixture {
    private static Map<String, String> attacks() {
        var attacks = new LinkedHashMap<String, String>();
        var good = issuer.draft(RESOURCE, "ann", "*");
        attacks.put("alg none", good.compact());
        attacks.put(
                "HS256 with the public key",
                issuer.draft(RESOURCE, "ann", "*")
                        .signWith(
                                new SecretKeySpec(issuer.key("one").getPublic().getEncoded(), "HmacSHA256"),
                                Jwts.SIG.HS256)
                        .compact());
        put(attacks, "another audience", "https://other.example/mcp", "at+jwt", Map.of());
        put(attacks, "the client's audience", "engine", "at+jwt", Map.of());
        put(attacks, "a longer audience", RESOURCE + "/x", "at+jwt", Map.of());
        attacks.put(
                "no audience",
                issuer.signed(
                        issuer.draft(RESOURCE, "ann", "*").audience().clear().and()));
        put(attacks, "another issuer", RESOURCE, "at+jwt", Map.of("iss", "https://evil.example"));
        put(attacks, "an issuer with a slash", RESOURCE, "at+jwt", Map.of("iss", issuer.address() + "/"));
        put(attacks, "expired", RESOURCE, "at+jwt", Map.of("exp", in(-1)));
        attacks.put(
                "without an end",
                issuer.signed(issuer.draft(RESOURCE, "ann", "*").expiration(null)));
        attacks.put(
                "never issued", issuer.signed(issuer.draft(RESOURCE, "ann", "*").issuedAt(null)));
        put(attacks, "not before tomorrow", RESOURCE, "at+jwt", Map.of("nbf", in(86_400)));
        put(attacks, "issued tomorrow", RESOURCE, "at+jwt", Map.of("iat", in(80_000), "exp", in(90_000)));
        put(attacks, "nobody", RESOURCE, "at+jwt", Map.of("sub", " "));
        put(attacks, "a very long name", RESOURCE, "at+jwt", Map.of("sub", "a".repeat(256)));
        put(attacks, "a name with NUL", RESOURCE, "at+jwt", Map.of("sub", "ann\0"));
        put(attacks, "a program", RESOURCE, "at+jwt", Map.of("sub", "a client"));
        put(attacks, "bound to a key", RESOURCE, "at+jwt", Map.of("cnf", Map.of("jkt", "x")));
        var thumbprint = "x".repeat(43);
        put(attacks, "bound by mTLS", RESOURCE, "at+jwt", Map.of("cnf", Map.of("x5t#S256", thumbprint)));
        put(
                attacks,
                "bound twice",
                RESOURCE,
                "at+jwt",
                Map.of("cnf", Map.of("jkt", thumbprint, "x5t#S256", thumbprint)));
        put(attacks, "a logout token", RESOURCE, "logout+jwt", Map.of());
        return attacks;
    }

    private static void put(
            Map<String, String> attacks, String name, String audience, String type, Map<String, Object> claims) {
        var draft = issuer.draft(audience, "ann", "*").header().type(type).and();
        claims.forEach((claim, value) -> {
            draft.claim(claim, value);
        });
        attacks.put(name, issuer.signed(draft));
    }

    private static Date in(long seconds) {
        return Date.from(CLOCK.instant().plusSeconds(seconds));
    }

    @Test
    void noWrongTokenIsTakenAndItsIssuerIsNotAskedForThem() {
        assertThat(list(token("ann", "*")).status())
                .as("the unchanged draft is accepted")
                .isEqualTo(200);
        CLOCK.advance(Duration.ofHours(2));
        var requests = issuer.askedForKeys();
        attacks().forEach((name, token) -> assertInvalid(list(token), name));
        assertThat(issuer.askedForKeys()).isEqualTo(requests);
        var good = token("ann", "*");
        var parts = good.split("\\.");
        for (var broken : List.of(
                parts[0] + "." + parts[1] + ".",
                parts[0] + "." + parts[1] + ".AAAA",
                LocalIssuer.spelledOtherwise(good),
                parts[0] + "." + token("bob", "*").split("\\.")[1] + "." + parts[2],
                "e30.e30.e30",
                "a.b.c",
                issuer.draft(RESOURCE, "ann", "*")
                        .signWith(issuer.key("evil").getPrivate(), Jwts.SIG.ES256)
                        .compact())) {
            assertInvalid(list(broken), broken);
        }
        assertThat(list(good).status()).isEqualTo(200);
    }

    @Test
    void keysComeFromTheIssuerOnly() {
        var evil = issuer.key("evil");
        for (var header : List.of("jku", "x5u")) {
            for (var kid : List.of("one", "evil")) {
                var draft = issuer.draft(RESOURCE, "ann", "*")
                        .header()
                        .keyId(kid)
                        .add(header, issuer.address() + "/evil")
                        .and();
                assertInvalid(
                        list(draft.signWith(evil.getPrivate(), Jwts.SIG.ES256).compact()), header + kid);
            }
        }
        assertThat(issuer.askedForOther()).isZero();
    }

    @Test
    void aHugeTokenIsRefusedBeforeAnythingIsMadeOfIt() {
        var body = "a".repeat(1 << 20);
        try {
            assertThat(list(body + "." + body + ".").response().statusCode()).isEqualTo(413);
        } catch (UncheckedIOException cut) {
            // The server may close the connection before the client has read the response.
            assertThat(cut).hasCauseInstanceOf(IOException.class);
        }
        var long9k = issuer.signed(issuer.draft(RESOURCE, "ann", "*").claim("more", "a".repeat(9_000)));
        assertThat(list(long9k).status()).isEqualTo(401);
        assertThat(list(issuer.signed(issuer.draft(RESOURCE, "ann", "*").claim("more", "a".repeat(4_000))))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void rotatedKeysAreFoundAndUnknownOnesAskedForOnceAMinute() {
        list(token("ann", "agent:read"));
        CLOCK.advance(Duration.ofMinutes(2));
        var requests = issuer.askedForKeys();
        for (var i = 0; i < 20; i++) {
            assertInvalid(list(issuer.signed(issuer.draft(RESOURCE, "ann", "*"), "unknown " + i)), "unknown key");
        }
        assertThat(issuer.askedForKeys()).isEqualTo(requests + 1);
        issuer.publish("two");
        CLOCK.advance(Duration.ofMinutes(1));
        assertThat(list(issuer.signed(issuer.draft(RESOURCE, "ann", "*"), "two"))
                        .status())
                .isEqualTo(200);
        issuer.withdraw("two");
        CLOCK.advance(Duration.ofHours(2));
        assertThat(list(token("ann", "agent:read")).status()).isEqualTo(200);
        assertInvalid(list(issuer.signed(issuer.draft(RESOURCE, "ann", "*"), "two")), "withdrawn");
    }

    @Test
    void whileItsIssuerIsDownKnownKeysGoOnForADay() throws IOException {
        try (var weak = new LocalIssuer(CLOCK);
                var replica = Replica.start(settings(weak), CLOCK)) {
            weak.down(true);
            var first = rpc(replica, weak.signed(weak.draft(RESOURCE, "ann", "*")), "tools/list", "{}");
            assertThat(first.status()).isEqualTo(503);
            assertThat(first.at("/error/data/note")).contains("issuer");
            assertThat(first.header("Retry-After")).isEqualTo("5");
            assertThat(first.headers(CHALLENGE)).isEmpty();
            weak.down(false);
            CLOCK.advance(Duration.ofSeconds(6));
            assertStatus(replica, weak.signed(weak.draft(RESOURCE, "ann", "*")), 200);
            weak.down(true);
            CLOCK.advance(Duration.ofHours(20));
            assertStatus(replica, weak.signed(weak.draft(RESOURCE, "ann", "*")), 200);
            assertStatus(replica, weak.signed(weak.draft(RESOURCE, "ann", "*"), "new"), 503);
            CLOCK.advance(Duration.ofHours(5));
            assertStatus(replica, weak.signed(weak.draft(RESOURCE, "ann", "*")), 503);
            assertThat(rpc(replica, owner, "tools/list", "{}").status())
                    .as("API keys still work")
                    .isEqualTo(200);
        }
    }

    @Test
    void whileItsIssuerIsDownUnknownKeysAreLookedForOnlySoOften() throws IOException {
        try (var weak = new LocalIssuer(CLOCK);
                var replica = Replica.start(limited(weak), CLOCK)) {
            weak.down(true);
            for (var i = 0; i < 5; i++) {
                assertStatus(replica, weak.signed(weak.draft(RESOURCE, "ann", "*"), "made up " + i), 503);
            }
            assertStatus(replica, weak.signed(weak.draft(RESOURCE, "ann", "*"), "made up"), 429);
        }
    }

    /**
     * The owner's key is not cached on this replica and is not looked up any more, which shows that this limit was reached.
     */
    @Test
    void whoIsNobodyHereIsLookedUpOnlySoOften() {
        try (var replica = Replica.start(limited(issuer), CLOCK)) {
            var foreign = issuer.signed(issuer.draft(RESOURCE, "eve", "*").claim("email", "eve@evil.example"));
            for (var i = 0; i < 5; i++) {
                assertStatus(replica, foreign, 403);
            }
            assertStatus(replica, foreign, 429);
            assertStatus(replica, owner, 429);
            CLOCK.advance(Duration.ofSeconds(5));
            assertStatus(replica, owner, 200);
        }
    }

    private static Map<String, String> limited(LocalIssuer of) {
        var settings = new LinkedHashMap<>(settings(of));
        settings.put("ENGINE_STRANGER_LIMIT", "1/s burst 5");
        return settings;
    }

    @Test
    void nobodyWaitsLongForAnIssuerThatSomebodyElseAsks() throws IOException {
        try (var weak = new LocalIssuer(CLOCK);
                var replica = Replica.start(settings(weak), CLOCK)) {
            var token = weak.signed(weak.draft(RESOURCE, "ann", "*"));
            var gate = weak.hold();
            var first = CompletableFuture.supplyAsync(() -> rpc(replica, token, "tools/list", "{}"));
            await().until(() -> weak.openRequests() == 1);
            assertStatus(replica, token, 503);
            assertThat(first).as("a request keeps waiting for the issuer").isNotDone();
            gate.countDown();
            assertThat(first.join().status()).isEqualTo(200);
            assertStatus(replica, token, 200);
        }
    }

    private static void assertStatus(Replica at, String token, int status) {
        assertThat(rpc(at, token, "tools/list", "{}").status()).isEqualTo(status);
    }

    @Test
    void anExpiredTokenThatWasKnownIsRefused() {
        var token = token("ann", "agent:read");
        assertThat(list(token).status()).isEqualTo(200);
        CLOCK.advance(Duration.ofMinutes(5));
        assertInvalid(list(token), "expired");
    }
}
