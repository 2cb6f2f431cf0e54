package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Refresh tokens that a program sends more than once: for a minute that is a slow network, after that it is theft. */
class RefreshTokensTest extends AuthorizationServerFixture {
    private static Got refreshed(Replica at, String token) {
        return form(at, "/oauth/token", encoded(refresh(token, "")));
    }

    private static String renewal(Got got) {
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        return got.at("/refresh_token");
    }

    @Test
    void aRetiredTokenWorksForAnotherMinuteAndAllItsTokensDo() {
        var first = issued(code());
        var retired = first.at("/refresh_token");
        var one = refreshed(engine, retired);
        CLOCK.advance(Duration.ofSeconds(2));
        var other = refreshed(AuthorizationServerFixture.other, retired);
        assertThat(renewal(other)).isNotEqualTo(renewal(one)).isNotEqualTo(retired);
        CLOCK.advance(Duration.ofSeconds(57));
        var third = refreshed(engine, retired);
        assertThat(family(renewal(third))).isEqualTo(family(renewal(one))).isEqualTo(family(renewal(other)));
        await().until(() -> mcp(engine, first.at("/access_token")) == 401);
        for (var got : List.of(one, other, third)) {
            assertThat(mcp(engine, got.at("/access_token"))).isEqualTo(200);
            assertThat(mcp(AuthorizationServerFixture.other, got.at("/access_token")))
                    .isEqualTo(200);
        }
        CLOCK.advance(Duration.ofMinutes(50));
        var chain = refreshed(engine, renewal(one));
        assertThat(mcp(engine, other.at("/access_token")))
                .as("of the program's other address")
                .isEqualTo(200);
        assertThat(mcp(engine, chain.at("/access_token"))).isEqualTo(200);
        await().until(() -> mcp(engine, one.at("/access_token")) == 401);
        assertThat(renewal(refreshed(engine, renewal(other)))).isNotEmpty();
        assertThat(renewal(refreshed(engine, renewal(chain)))).isNotEmpty();
    }

    private static String family(String refreshToken) {
        return TestDatabase.db()
                .sql("SELECT key_id FROM oauth_secret WHERE hash = sha256(CAST(:token AS text)::bytea)")
                .set("token", refreshToken)
                .one(row -> row.text("key_id"))
                .orElseThrow();
    }

    @Test
    void afterAMinuteItsUseEndsTheFamily() {
        var retired = issued(code()).at("/refresh_token");
        var one = refreshed(engine, retired);
        CLOCK.advance(Duration.ofSeconds(30));
        var twin = refreshed(engine, retired);
        CLOCK.advance(Duration.ofSeconds(30));
        assertThat(refreshed(other, retired).at("/error"))
                .as("a use prolongs nothing")
                .isEqualTo("invalid_grant");
        for (var got : List.of(one, twin)) {
            await().until(() -> mcp(other, got.at("/access_token")) == 401);
            assertThat(refreshed(engine, renewal(got)).at("/error")).isEqualTo("invalid_grant");
        }
    }

    @Test
    void twinsAtTwoReplicasAtOnceBothGetTokensThatWork() {
        var retired = issued(code()).at("/refresh_token");
        Callable<Got> here = () -> refreshed(engine, retired);
        Callable<Got> there = () -> refreshed(other, retired);
        var got = Concurrently.all(List.of(here, there, here, there, here, there));
        var renewals = new HashSet<String>();
        got.forEach(one -> renewals.add(renewal(one)));
        assertThat(renewals).hasSize(6);
        for (var one : got) {
            assertThat(mcp(engine, one.at("/access_token"))).isEqualTo(200);
            assertThat(mcp(other, one.at("/access_token"))).isEqualTo(200);
        }
        var next = Concurrently.all(got.stream()
                .<Callable<Got>>map(one -> () -> refreshed(engine, one.at("/refresh_token")))
                .toList());
        next.forEach(one -> assertThat(mcp(other, one.at("/access_token"))).isEqualTo(200));
    }

    @Test
    void oneFamilyHasAtMostTenTokens() {
        var retired = issued(code()).at("/refresh_token");
        var oldest = refreshed(engine, retired);
        CLOCK.advance(Duration.ofSeconds(1));
        for (var i = 0; i < 10; i++) {
            renewal(refreshed(engine, retired));
        }
        assertThat(refreshed(engine, renewal(oldest)).at("/error")).isEqualTo("invalid_grant");
        await().until(() -> mcp(engine, oldest.at("/access_token")) == 401);
        assertThat(renewal(refreshed(engine, retired))).isNotEmpty();
    }

    @Test
    void anAccessTokenEndsAfterAnHourWhateverItsTwinsDo() {
        var retired = issued(code()).at("/refresh_token");
        var one = refreshed(engine, retired);
        CLOCK.advance(Duration.ofSeconds(59));
        var twin = refreshed(engine, retired);
        CLOCK.advance(Duration.ofMinutes(59).plusSeconds(30));
        assertThat(mcp(engine, one.at("/access_token"))).isEqualTo(401);
        assertThat(mcp(engine, twin.at("/access_token"))).isEqualTo(200);
    }

    @Test
    void aRetiredTokenOfAnEndedAccessOrOfAnotherClientStaysRefused() {
        var retired = issued(code()).at("/refresh_token");
        var one = refreshed(engine, retired);
        var mixed = registered(BACK);
        assertThat(token(refresh(retired, "client_id=" + mixed)).at("/error")).isEqualTo("invalid_grant");
        assertThat(mcp(engine, one.at("/access_token"))).isEqualTo(200);
        form(engine, "/oauth/revoke", encoded(java.util.Map.of("client_id", client, "token", renewal(one))));
        assertThat(refreshed(engine, retired).at("/error")).isEqualTo("invalid_grant");
    }
}
