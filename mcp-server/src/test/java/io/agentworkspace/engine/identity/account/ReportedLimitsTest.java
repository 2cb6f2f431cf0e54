package io.agentworkspace.engine.identity.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.QuotaFixture;
import io.agentworkspace.engine.testing.Replica;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The remaining allowances: the headers, the envelope and MCP's {@code _meta} agree. */
class ReportedLimitsTest {
    private static Replica engine;
    private static Replica free;

    @BeforeAll
    static void start() {
        engine = Replica.start(Map.of("ENGINE_RATE_LIMIT", "1/s burst 100"));
        free = Replica.start(Map.of());
    }

    @AfterAll
    static void stop() {
        engine.close();
        free.close();
    }

    private static String header(CommandAddress.Got got, String name) {
        return got.response().headers().allValues(name).toString();
    }

    /** Returns the headers that correspond to an envelope's limits. */
    private static List<String> headers(JsonNode limits) {
        var policies = new ArrayList<String>();
        var left = new ArrayList<String>();
        for (var limit : limits) {
            var scope = limit.path("scope").asString();
            var name = "\"%s\"".formatted(scope.equals("rate") ? "default" : scope);
            policies.add(name + ";q=" + limit.path("limit").asLong()
                    + (limit.has("window_seconds")
                            ? ";w=" + limit.path("window_seconds").asLong()
                            : ""));
            left.add(name + ";r=" + limit.path("remaining").asLong()
                    + (limit.has("reset_seconds")
                            ? ";t=" + limit.path("reset_seconds").asLong()
                            : ""));
        }
        return List.of(
                List.of(String.join(", ", policies)).toString(),
                List.of(String.join(", ", left)).toString());
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void theSameFiguresEverywhere(CommandAddress way) {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(engine.url(), "free");
        var calls = Map.of(
                "AP_List", "{}",
                "AP_Create", "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}",
                "AP_Read", "{\"target\":{\"agent\":\"Nobody\"}}");
        calls.forEach((service, arguments) -> {
            var got = way.call(engine.url(), fixture.key, service, arguments, Map.of());
            var limits = got.envelope().at("/header/limits");
            assertThat(limits.valueStream().map(limit -> limit.path("scope").asString()))
                    .as(got.toString())
                    .isEqualTo(
                            service.equals("AP_Create")
                                    ? List.of("rate", "commands", "agents")
                                    : List.of("rate", "commands"));
            assertThat(List.of(header(got, "RateLimit-Policy"), header(got, "RateLimit")))
                    .isEqualTo(headers(limits));
            assertThat(header(got, "RateLimit-Policy"))
                    .startsWith("[\"default\";q=100;w=100, \"commands\";q=10000;w=86400");
            if (service.equals("AP_Create")) {
                assertThat(limits.at("/2").toString())
                        .isEqualTo("{\"scope\":\"agents\",\"limit\":25,\"remaining\":24}");
            }
        });
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void whereNothingIsLimitedNothingIsTold(CommandAddress way) {
        var fixture = new QuotaFixture(ClientApi.REST);
        var got = way.call(
                free.url(), fixture.key, "AP_Create", "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}", Map.of());
        assertThat(got.envelope().at("/header").has("limits")).isFalse();
        assertThat(got.response().headers().map()).doesNotContainKeys("ratelimit", "ratelimit-policy");
    }

    @Test
    void whatRunsNoToolTellsTheRateAndTheCommands() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(engine.url(), "team");
        for (var path : List.of("/api/mcp/tools", "/api/nothing")) {
            var got = get(path, fixture.key);
            assertThat(header(got, "RateLimit-Policy"))
                    .isEqualTo("[\"default\";q=100;w=100, \"commands\";q=250000;w=86400]");
            assertThat(header(got, "RateLimit")).matches("\\[\"default\";r=9\\d;t=\\d+, \"commands\";r=250000;t=\\d+]");
        }
    }

    private static CommandAddress.Got get(String path, String key) {
        return new CommandAddress.Got(ClientApi.send(HttpRequest.newBuilder(URI.create(engine.url() + path))
                .header("X-Api-Key", key)
                .build()));
    }

    /** A request that is refused before its body is read gets the same figures as one that is served. */
    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void aRefusalForTheRateTellsThemToo(CommandAddress way) {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(engine.url(), "free");
        var got = way.call(engine.url(), fixture.key, "US_Read", "{}", Map.of());
        while (got.status() == 200) {
            got = way.call(engine.url(), fixture.key, "US_Read", "{}", Map.of());
        }
        assertThat(got.status()).isEqualTo(429);
        assertThat(got.error()).isEqualTo("rate_limited");
        assertThat(got.response().headers().firstValueAsLong("Retry-After")).hasValue(1);
        assertThat(header(got, "RateLimit-Policy"))
                .isEqualTo("[\"default\";q=100;w=100, \"commands\";q=10000;w=86400]");
        assertThat(header(got, "RateLimit")).startsWith("[\"default\";r=0;t=").contains(", \"commands\";r=10000;t=");
        var limits = way == CommandAddress.MCP
                ? got.json().at("/error/data/limits")
                : got.envelope().at("/header/limits");
        if (way != CommandAddress.INVOKE) { // A problem document; only the headers contain the limits.
            assertThat(List.of(header(got, "RateLimit-Policy"), header(got, "RateLimit")))
                    .isEqualTo(headers(limits));
        }
    }

    @Test
    void theAccountHasARouteOfItsOwn() {
        var fixture = new QuotaFixture(ClientApi.REST);
        var changed = new CommandAddress.Got(
                ClientApi.post(engine.url() + "/api/account/plan", fixture.key, "{\"plan\":\"free\"}"));
        assertThat(changed.status()).isEqualTo(200);
        var got = get("/api/account", fixture.key);
        assertThat(got.status()).isEqualTo(200);
        var account = got.json().get("account");
        assertThat(account.path("plan").asString()).isEqualTo("free");
        assertThat(account.at("/rate/limit").asInt()).isEqualTo(100);
        assertThat(account.path("limits")
                        .valueStream()
                        .map(limit -> "%s %d %d"
                                .formatted(
                                        limit.path("scope").asString(),
                                        limit.path("limit").asLong(),
                                        limit.path("count").asLong())))
                .containsExactly(
                        "commands 10000 0",
                        "agents 25 0",
                        "domains 10 0",
                        "banks 10 0",
                        "memories 10000 0",
                        "documents 100 0",
                        "webhook_endpoints 3 0",
                        "tasks 1000 0");
    }

    @Test
    void aRefusalForTheQuotaTellsWhichAtARouteOfItsOwnToo() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(free.url(), "free");
        for (var i = 0; i < 25; i++) {
            fixture.agent(free.url(), "Agent " + i).ok();
        }
        var got = CommandAddress.ALIAS.call(
                free.url(), fixture.key, "AP_Create", "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}", Map.of());
        assertThat(got.status()).isEqualTo(429);
        assertThat(header(got, "RateLimit")).contains("\"agents\";r=0");
        assertThat(got.response().headers().firstValue("Retry-After")).isEmpty();
    }

    @Test
    void aReplayTellsWhatIsLeftNow() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(free.url(), "free");
        var arguments = "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"},\"idempotency_key\":\"k\"}";
        var first = CommandAddress.ALIAS.call(free.url(), fixture.key, "AP_Create", arguments, Map.of());
        var second = CommandAddress.ALIAS.call(free.url(), fixture.key, "AP_Create", arguments, Map.of());
        assertThat(second.replayed()).isTrue();
        assertThat(first.envelope().at("/header/limits/0/remaining").asLong())
                .isGreaterThan(
                        second.envelope().at("/header/limits/0/remaining").asLong());
        await().until(() -> fixture.counted("agents") == 1);
    }
}
