package io.agentworkspace.engine.identity.signin;

import static io.agentworkspace.engine.identity.signin.Browser.LIST;
import static io.agentworkspace.engine.identity.signin.Browser.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ChangeInForce;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Any replica serves a session, and its end takes effect on all replicas within a second. */
class SessionReplicasTest {
    private static final int ROUNDS = 4;

    private static TestTenant tenant;
    private static Replica one;
    private static Replica two;
    private static String admin;
    private static int users;

    @BeforeAll
    static void start() {
        tenant = new TestTenant();
        var address = Map.of("ENGINE_BASE_URL", "https://engine.example");
        one = Replica.start(address);
        two = Replica.start(address);
        admin = tenant.key(ClientApi.REST, "boss", Role.OWNER, List.of("*"));
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
    }

    private static String user() {
        return "user " + ++users;
    }

    private static String key(String user) {
        return tenant.key(ClientApi.REST, user, Role.MEMBER, List.of("*"));
    }

    private static boolean isIn(Browser browser) {
        return browser.change("POST", LIST, "{}").error().isEmpty();
    }

    private static boolean isIn(Replica replica, String token) {
        return Browser.bearer(replica.url(), token).error().isEmpty();
    }

    /** @param here whether the replica where the change is made accepts a request; the other one is tried first */
    private static void assertSoon(String what, Runnable change, BooleanSupplier here, BooleanSupplier there) {
        ChangeInForce.assertInForce(what, change, List.of(there, here));
    }

    @Test
    void signingOutIsInForceEverywhereWithinASecond() {
        for (var i = 0; i < ROUNDS; i++) {
            var here = Browser.signIn(one.url(), key(user()));
            var there = here.at(two.url());
            assertThat(there.get(SESSION).at("/csrf_token")).isEqualTo(here.csrf());
            assertSoon("signing out", () -> here.change("DELETE", SESSION, ""), () -> isIn(here), () -> isIn(there));
        }
    }

    @Test
    void signingOutEndsTheTokensToo() {
        for (var i = 0; i < ROUNDS; i++) {
            var browser = Browser.signIn(one.url(), key(user()));
            var token = browser.token();
            assertSoon(
                    "signing out, for a token,",
                    () -> browser.change("DELETE", SESSION, ""),
                    () -> isIn(one, token),
                    () -> isIn(two, token));
        }
    }

    @Test
    void aRevokedKeyEndsItsSessionsAndTheirTokens() {
        for (var i = 0; i < ROUNDS; i++) {
            var key = key(user());
            var browser = Browser.signIn(one.url(), key);
            var token = browser.token();
            assertSoon("revoking the key", () -> revoke(key), () -> isIn(browser), () -> isIn(browser.at(two.url())));
            assertThat(isIn(one, token)).isFalse();
            assertThat(isIn(two, token)).isFalse();
        }
    }

    private static void revoke(String key) {
        try (var watch = TestDatabase.watch()) {
            var clock = Clock.systemUTC();
            new KeyStore(TestDatabase.db(), clock, watch)
                    .revoke(tenant.id(ClientApi.REST), ApiKey.parse(key).id(), clock.instant());
        }
    }

    private static void administer(String service, String arguments) {
        var answer = Browser.send(one.url(), "POST", ClientApi.path(service), arguments, "X-Api-Key", admin);
        assertThat(answer.error()).as(answer.toString()).isEmpty();
    }

    @Test
    void removingTheUserEndsItsSessions() {
        for (var i = 0; i < ROUNDS; i++) {
            var user = user();
            var browser = Browser.signIn(one.url(), key(user));
            assertSoon(
                    "removing the user",
                    () -> administer("US_Remove", "{\"target\":{\"user\":\"%s\"}}".formatted(user)),
                    () -> isIn(browser),
                    () -> isIn(browser.at(two.url())));
        }
    }

    @Test
    void aChangedRoleHoldsForItsSessions() {
        for (var i = 0; i < ROUNDS; i++) {
            var user = user();
            var browser = Browser.signIn(one.url(), key(user));
            assertSoon(
                    "changing the role",
                    () -> administer(
                            "US_Update",
                            "{\"target\":{\"user\":\"%s\"},\"vx\":{\"access\":\"viewer\"}}".formatted(user)),
                    () -> browser.get(SESSION).at("/role").equals("member"),
                    () -> browser.at(two.url()).get(SESSION).at("/role").equals("member"));
            assertThat(browser.change("POST", Browser.CREATE, "{\"vx\":{\"name\":\"A\",\"description\":\"d\"}}")
                            .error())
                    .isEqualTo("not_permitted");
        }
    }
}
