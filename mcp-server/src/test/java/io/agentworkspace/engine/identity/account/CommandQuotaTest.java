package io.agentworkspace.engine.identity.account;

import static io.agentworkspace.engine.testing.QuotaFixture.assertRefused;
import static io.agentworkspace.engine.testing.QuotaFixture.awaitFlush;
import static io.agentworkspace.engine.testing.QuotaFixture.limit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.QuotaFixture;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The calls of a day: counted in memory, written every second, and nearly exact. */
@Tag("slow")
class CommandQuotaTest {
    private static final TestClock CLOCK = new TestClock();
    private static final int LIMIT = 10_000;

    private static Replica one;
    private static Replica two;

    @TempDir
    static Path dataDir;

    /** Starts in the morning of a future day, so that the real midnight does not interfere. */
    @BeforeAll
    static void start() {
        CLOCK.advance(Duration.between(CLOCK.instant(), midnight().plus(Duration.ofHours(6))));
        one = Replica.start(Map.of(), CLOCK);
        two = Replica.start(Map.of(), CLOCK);
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
    }

    private static Instant midnight() {
        return CLOCK.instant()
                .atOffset(ZoneOffset.UTC)
                .truncatedTo(ChronoUnit.DAYS)
                .plusDays(1)
                .toInstant();
    }

    private static void list(QuotaFixture fixture, String url) {
        fixture.call(url, "AP_List", "{}").ok();
    }

    private static boolean isRefused(QuotaFixture fixture, String url) {
        return fixture.call(url, "AP_List", "{}").code() == 4002;
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void theLastCommandOfTheDayIsFollowedByRefusalsUntilMidnight(ClientApi api) {
        var fixture = new QuotaFixture(api);
        fixture.plan(one.url(), "free");
        fixture.commands(CLOCK.instant(), LIMIT - 3);
        await().until(() -> left(fixture, one.url()) == 3 && left(fixture, two.url()) == 3);
        for (var i = 0; i < 3; i++) {
            list(fixture, one.url());
        }
        var refused = fixture.call(one.url(), "AP_List", "{}");
        assertRefused(refused, "commands", LIMIT, "free");
        assertThat(refused.note()).contains(midnight().toString());
        var resource = new RawMcpClient(one.url() + "/mcp", fixture.key)
                .modern("resources/read", "{'uri': 'engine://agents/Ada'}");
        assertThat(resource.at("/error/data/error").asString()).isEqualTo("quota_exceeded");
        await().until(() -> rejected(fixture).size() == 1);
        fixture.call(one.url(), "US_Read", "{}").ok();
        fixture.call(one.url(), "AC_Read", "{}").ok();
        fixture.plan(one.url(), "team");
        list(fixture, one.url());
        fixture.plan(one.url(), "free");
        assertThat(isRefused(fixture, one.url())).isTrue();
        CLOCK.advance(Duration.between(CLOCK.instant(), midnight()));
        list(fixture, one.url());
        list(fixture, two.url());
        await().until(() -> fixture.commands(CLOCK.instant()) == 2);
        var account = fixture.call(two.url(), "AC_Read", "{}").ok();
        var limit = limit(account, "/account/limits", "commands");
        assertThat(limit.path("count").asInt()).isEqualTo(2);
        assertThat(limit.path("remaining").asInt()).isEqualTo(LIMIT - 2);
        assertThat(limit.path("resets_at").asString())
                .isEqualTo(midnight().toString().replace("Z", ".000Z"));
    }

    private static long left(QuotaFixture fixture, String url) {
        return limit(fixture.call(url, "US_Read", "{}").ok(), "/profile/0/limits", "commands")
                .path("remaining")
                .asLong();
    }

    @Test
    void theRefusalSaysWhenToComeBack() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(one.url(), "free");
        fixture.commands(CLOCK.instant(), LIMIT);
        await().until(() -> isRefused(fixture, one.url()));
        for (var way : CommandAddress.values()) {
            var got = way.call(one.url(), fixture.key, "AP_List", "{}", Map.of());
            var seconds =
                    got.response().headers().firstValueAsLong("Retry-After").orElseThrow();
            assertThat(seconds)
                    .isBetween(1L, Duration.between(CLOCK.instant(), midnight()).toSeconds() + 2);
            assertThat(seconds)
                    .isGreaterThan(Duration.between(CLOCK.instant(), midnight()).toSeconds() - 60);
            assertThat(got.error()).isEqualTo("quota_exceeded");
            assertThat(got.status()).isEqualTo(way == CommandAddress.MCP ? 200 : 429);
        }
    }

    @Test
    void whatNeverReachedAToolIsNotCounted() {
        var fixture = new QuotaFixture(ClientApi.REST);
        list(fixture, one.url());
        fixture.call(one.url(), "AP_Create", "{'vx':{}}").refused(1003);
        fixture.call(one.url(), "AP_Nothing", "{}");
        fixture.call(one.url(), "AP_Read", "{'target':{'agent':'Nobody'}}").refused(3001);
        fixture.call(one.url(), "US_Read", "{}").ok();
        await().until(() -> fixture.commands(CLOCK.instant()) == 2);
    }

    /** The counts are exact, and each replica knows those of the others after little more than two seconds. */
    @Test
    void theReplicasCountTogether() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(one.url(), "free");
        fixture.commands(CLOCK.instant(), LIMIT - 500);
        await().until(() -> left(fixture, one.url()) == 500 && left(fixture, two.url()) == 500);
        Concurrently.of(10, i -> {
            for (var n = 0; n < 40; n++) {
                list(fixture, n % 2 == 0 ? one.url() : two.url());
            }
            return i;
        });
        await().until(() -> left(fixture, one.url()) == 100 && left(fixture, two.url()) == 100);
        assertThat(fixture.commands(CLOCK.instant())).isEqualTo(LIMIT - 100);
    }

    @Test
    void onOneReplicaTheLimitIsExact() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(one.url(), "free");
        fixture.commands(CLOCK.instant(), LIMIT - 20);
        await().until(() -> left(fixture, one.url()) == 20);
        var refused = Concurrently.of(64, _ -> isRefused(fixture, one.url()));
        assertThat(refused.stream().filter(isOver -> !isOver)).hasSize(20);
    }

    /** At most the other replica's calls of the last two seconds exceed the limit: here the last 40. */
    @Test
    void bothMayNotGoFarBeyondTheLimit() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.commands(CLOCK.instant(), LIMIT - 200);
        fixture.plan(one.url(), "free");
        await().until(() -> left(fixture, one.url()) == 200 && left(fixture, two.url()) == 200);
        lists(fixture, one.url(), 150);
        await().until(() -> left(fixture, two.url()) == 50);
        lists(fixture, one.url(), 40);
        var ran = 0;
        while (ran <= 200 && !isRefused(fixture, two.url())) {
            ran++;
        }
        var all = LIMIT - 10 + ran;
        await().until(() -> fixture.commands(CLOCK.instant()) == all);
        System.out.printf("two replicas together ran %d commands beyond the limit of %d%n", all - LIMIT, LIMIT);
        assertThat(all - LIMIT).isBetween(0, 40);
        await().until(() -> isRefused(fixture, one.url()) && isRefused(fixture, two.url()));
    }

    private static void lists(QuotaFixture fixture, String url, int times) {
        for (var i = 0; i < times; i++) {
            list(fixture, url);
        }
    }

    @Test
    void aThresholdIsToldOnceForTheDayAndForetellsTheEnd() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(one.url(), "free");
        fixture.commands(CLOCK.instant(), 7_990);
        await().until(() -> left(fixture, one.url()) == 2_010 && left(fixture, two.url()) == 2_010);
        Concurrently.of(20, i -> {
            list(fixture, i % 2 == 0 ? one.url() : two.url());
            return i;
        });
        await().until(() -> !thresholds(fixture).isEmpty());
        await().until(() -> fixture.commands(CLOCK.instant()) == 8_010);
        fixture.commands(CLOCK.instant(), LIMIT - 1);
        await().until(() -> left(fixture, one.url()) == 1);
        list(fixture, one.url());
        await().until(() -> isRefused(fixture, one.url()));
        await().until(() -> thresholds(fixture).size() == 2);
        awaitFlush(one.url(), two.url());
        assertThat(thresholds(fixture)).hasSize(2);
        var events = thresholds(fixture);
        assertThat(events.getFirst().path("threshold").asInt()).isEqualTo(80);
        assertThat(events.getFirst().path("count").asInt()).isBetween(8_000, 8_010);
        var end =
                Instant.parse(events.getFirst().path("projected_exhaustion_at").asString());
        assertThat(end).isAfter(CLOCK.instant()).isBefore(midnight());
        assertThat(events.getLast().path("threshold").asInt()).isEqualTo(100);
        assertThat(events.getLast().has("projected_exhaustion_at")).isFalse();
        var tomorrow = midnight();
        fixture.commands(tomorrow, 7_999);
        CLOCK.advance(Duration.between(CLOCK.instant(), tomorrow).plusSeconds(60));
        await().until(() -> left(fixture, one.url()) == 2_001);
        list(fixture, one.url());
        await().until(() -> thresholds(fixture).size() == 3);
    }

    @Test
    void aLargerPlanHasThresholdsOfItsOwn() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(one.url(), "free");
        reach(fixture, 8_000, 2_000);
        await().until(() -> thresholds(fixture).size() == 1);
        fixture.plan(one.url(), "team");
        reach(fixture, 200_000, 50_000);
        await().until(() -> thresholds(fixture).size() == 2);
        reach(fixture, 200_000, 50_000);
        fixture.plan(one.url(), "free");
        reach(fixture, 8_000, 2_000);
        assertThat(thresholds(fixture))
                .extracting(event -> event.path("limit").asInt())
                .containsExactly(10_000, 250_000);
    }

    /** Runs the last of the given number of commands, and waits until it is written with the events about it. */
    private static void reach(QuotaFixture fixture, int count, int left) {
        fixture.commands(CLOCK.instant(), count - 1);
        await().until(() -> left(fixture, one.url()) == left + 1);
        list(fixture, one.url());
        await().until(() -> fixture.commands(CLOCK.instant()) == count);
    }

    private static java.util.List<JsonNode> thresholds(QuotaFixture fixture) {
        return fixture.events(EventType.QUOTA_THRESHOLD_REACHED);
    }

    @Test
    void refusalsAreToldOnceAMinute() {
        var fixture = new QuotaFixture(ClientApi.REST);
        fixture.plan(one.url(), "free");
        fixture.commands(CLOCK.instant(), LIMIT);
        await().until(() -> left(fixture, one.url()) == 0 && left(fixture, two.url()) == 0);
        for (var minute = 1; minute <= 3; minute++) {
            var expected = minute;
            await().until(() -> {
                isRefused(fixture, one.url());
                isRefused(fixture, two.url());
                return rejected(fixture).size() >= expected;
            });
            for (var i = 0; i < 20; i++) {
                isRefused(fixture, i % 2 == 0 ? one.url() : two.url());
            }
            awaitFlush(one.url(), two.url());
            assertThat(rejected(fixture)).hasSize(expected);
            CLOCK.advance(Duration.ofSeconds(61));
        }
        assertThat(rejected(fixture).getFirst().toString())
                .isEqualTo(
                        "{\"scope\":\"commands\",\"limit\":10000,\"count\":10000,\"plan\":\"free\",\"service\":\"AP_List\"}");
    }

    private static java.util.List<JsonNode> rejected(QuotaFixture fixture) {
        return fixture.events(EventType.QUOTA_REQUEST_REJECTED);
    }

    /** A crash loses only the counts that were not yet written: those of about a second. */
    @Test
    void aKilledReplicaLosesWhatItHadNotWrittenAndAStoppedOneNothing() throws Exception {
        var fixture = new QuotaFixture(ClientApi.REST);
        var acknowledged = 0L;
        var written = 0L;
        try (var engine = EngineProcess.replica(dataDir)) {
            while (written < 20) { // It writes while it goes on counting.
                list(fixture, engine.url());
                acknowledged++;
                written = fixture.commands(Instant.now());
            }
            engine.kill();
        }
        var counted = fixture.commands(Instant.now());
        System.out.printf("killed: %d of %d calls counted%n", counted, acknowledged);
        assertThat(counted).isBetween(written, acknowledged);
        try (var engine = Replica.start(Map.of())) {
            for (var i = 0; i < 50; i++) {
                list(fixture, engine.url());
            }
        }
        assertThat(fixture.commands(Instant.now())).isEqualTo(counted + 50);
    }
}
