package io.agentworkspace.engine.proof;

import static io.agentworkspace.engine.proof.QuotaStage.assertRefused;
import static io.agentworkspace.engine.proof.QuotaStage.limit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.signin.StageClock;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
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

/** The calls of a day: counted in memory, written every second, and never far off. */
@Tag("slow")
class CommandQuotaTest {
    private static final StageClock CLOCK = new StageClock();
    private static final int LIMIT = 10_000;

    private static Replica one;
    private static Replica two;

    @TempDir
    static Path dataDir;

    /** In the morning of a day to come, so that the real midnight is not in the way. */
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

    private static void list(QuotaStage stage, String url) {
        stage.call(url, "AP_List", "{}").ok();
    }

    private static boolean isRefused(QuotaStage stage, String url) {
        return stage.call(url, "AP_List", "{}").code() == 4002;
    }

    @ParameterizedTest
    @EnumSource(Door.class)
    void theLastCommandOfTheDayIsFollowedByRefusalsUntilMidnight(Door door) {
        var stage = new QuotaStage(door);
        stage.plan(one.url(), "free");
        stage.commands(CLOCK.instant(), LIMIT - 3);
        await().until(() -> left(stage, one.url()) == 3 && left(stage, two.url()) == 3);
        for (var i = 0; i < 3; i++) {
            list(stage, one.url());
        }
        var refused = stage.call(one.url(), "AP_List", "{}");
        assertRefused(refused, "commands", LIMIT, "free");
        assertThat(refused.note()).contains(midnight().toString());
        await().until(() -> rejected(stage).size() == 1);
        stage.call(one.url(), "US_Read", "{}").ok();
        stage.call(one.url(), "AC_Read", "{}").ok();
        stage.plan(one.url(), "team");
        list(stage, one.url());
        stage.plan(one.url(), "free");
        assertThat(isRefused(stage, one.url())).isTrue();
        CLOCK.advance(Duration.between(CLOCK.instant(), midnight()));
        list(stage, one.url());
        list(stage, two.url());
        await().until(() -> stage.commands(CLOCK.instant()) == 2);
        var account = stage.call(two.url(), "AC_Read", "{}").ok();
        var limit = limit(account, "/account/limits", "commands");
        assertThat(limit.path("count").asInt()).isEqualTo(2);
        assertThat(limit.path("remaining").asInt()).isEqualTo(LIMIT - 2);
        assertThat(limit.path("resets_at").asString())
                .isEqualTo(midnight().toString().replace("Z", ".000Z"));
    }

    private static long left(QuotaStage stage, String url) {
        return limit(stage.call(url, "US_Read", "{}").ok(), "/profile/0/limits", "commands")
                .path("remaining")
                .asLong();
    }

    @Test
    void theRefusalSaysWhenToComeBack() {
        var stage = new QuotaStage(Door.REST);
        stage.plan(one.url(), "free");
        stage.commands(CLOCK.instant(), LIMIT);
        await().until(() -> isRefused(stage, one.url()));
        for (var way : Way.values()) {
            var got = way.call(one.url(), stage.key, "AP_List", "{}", Map.of());
            var seconds =
                    got.response().headers().firstValueAsLong("Retry-After").orElseThrow();
            assertThat(seconds)
                    .isBetween(1L, Duration.between(CLOCK.instant(), midnight()).toSeconds() + 2);
            assertThat(seconds)
                    .isGreaterThan(Duration.between(CLOCK.instant(), midnight()).toSeconds() - 60);
            assertThat(got.error()).isEqualTo("quota_exceeded");
            assertThat(got.status()).isEqualTo(way == Way.MCP ? 200 : 429);
        }
    }

    @Test
    void whatNeverReachedAToolIsNotCounted() {
        var stage = new QuotaStage(Door.REST);
        list(stage, one.url());
        stage.call(one.url(), "AP_Create", "{'vx':{}}").refused(1003);
        stage.call(one.url(), "AP_Nothing", "{}");
        stage.call(one.url(), "AP_Read", "{'target':{'agent':'Nobody'}}").refused(3001);
        stage.call(one.url(), "US_Read", "{}").ok();
        await().until(() -> stage.commands(CLOCK.instant()) == 2);
    }

    /** Exactly as many as were called, and each replica knows of the others' after at most two seconds and a bit. */
    @Test
    void theReplicasCountTogether() {
        var stage = new QuotaStage(Door.REST);
        stage.plan(one.url(), "free");
        stage.commands(CLOCK.instant(), LIMIT - 500);
        await().until(() -> left(stage, one.url()) == 500 && left(stage, two.url()) == 500);
        Crowd.of(10, i -> {
            for (var n = 0; n < 40; n++) {
                list(stage, n % 2 == 0 ? one.url() : two.url());
            }
            return i;
        });
        await().until(() -> left(stage, one.url()) == 100 && left(stage, two.url()) == 100);
        assertThat(stage.commands(CLOCK.instant())).isEqualTo(LIMIT - 100);
    }

    @Test
    void onOneReplicaTheLimitIsExact() {
        var stage = new QuotaStage(Door.REST);
        stage.plan(one.url(), "free");
        stage.commands(CLOCK.instant(), LIMIT - 20);
        await().until(() -> left(stage, one.url()) == 20);
        var refused = Crowd.of(64, _ -> isRefused(stage, one.url()));
        assertThat(refused.stream().filter(isOver -> !isOver)).hasSize(20);
    }

    /** More than allowed is at most what the other replica ran in the last two seconds: here the last 40. */
    @Test
    void bothMayNotGoFarBeyondTheLimit() {
        var stage = new QuotaStage(Door.REST);
        stage.commands(CLOCK.instant(), LIMIT - 200);
        stage.plan(one.url(), "free");
        await().until(() -> left(stage, one.url()) == 200 && left(stage, two.url()) == 200);
        lists(stage, one.url(), 150);
        await().until(() -> left(stage, two.url()) == 50);
        lists(stage, one.url(), 40);
        var ran = 0;
        while (ran <= 200 && !isRefused(stage, two.url())) {
            ran++;
        }
        var all = LIMIT - 10 + ran;
        await().until(() -> stage.commands(CLOCK.instant()) == all);
        System.out.printf("two replicas together ran %d commands beyond the limit of %d%n", all - LIMIT, LIMIT);
        assertThat(all - LIMIT).isBetween(0, 40);
        await().until(() -> isRefused(stage, one.url()) && isRefused(stage, two.url()));
    }

    private static void lists(QuotaStage stage, String url, int times) {
        for (var i = 0; i < times; i++) {
            list(stage, url);
        }
    }

    @Test
    void aThresholdIsToldOnceForTheDayAndForetellsTheEnd() {
        var stage = new QuotaStage(Door.REST);
        stage.plan(one.url(), "free");
        stage.commands(CLOCK.instant(), 7_990);
        await().until(() -> left(stage, one.url()) == 2_010 && left(stage, two.url()) == 2_010);
        Crowd.of(20, i -> {
            list(stage, i % 2 == 0 ? one.url() : two.url());
            return i;
        });
        await().until(() -> !thresholds(stage).isEmpty());
        await().until(() -> stage.commands(CLOCK.instant()) == 8_010);
        stage.commands(CLOCK.instant(), LIMIT - 1);
        await().until(() -> left(stage, one.url()) == 1);
        list(stage, one.url());
        await().until(() -> isRefused(stage, one.url()));
        await().until(() -> thresholds(stage).size() == 2);
        await().during(Duration.ofMillis(2_500)).until(() -> thresholds(stage).size() == 2);
        var told = thresholds(stage);
        assertThat(told.getFirst().path("threshold").asInt()).isEqualTo(80);
        assertThat(told.getFirst().path("count").asInt()).isBetween(8_000, 8_010);
        var end = Instant.parse(told.getFirst().path("projected_exhaustion_at").asString());
        assertThat(end).isAfter(CLOCK.instant()).isBefore(midnight());
        assertThat(told.getLast().path("threshold").asInt()).isEqualTo(100);
        assertThat(told.getLast().has("projected_exhaustion_at")).isFalse();
        var tomorrow = midnight();
        stage.commands(tomorrow, 7_999);
        CLOCK.advance(Duration.between(CLOCK.instant(), tomorrow).plusSeconds(60));
        await().until(() -> left(stage, one.url()) == 2_001);
        list(stage, one.url());
        await().until(() -> thresholds(stage).size() == 3);
    }

    @Test
    void aLargerPlanHasThresholdsOfItsOwn() {
        var stage = new QuotaStage(Door.REST);
        stage.plan(one.url(), "free");
        reach(stage, 8_000, 2_000);
        await().until(() -> thresholds(stage).size() == 1);
        stage.plan(one.url(), "team");
        reach(stage, 200_000, 50_000);
        await().until(() -> thresholds(stage).size() == 2);
        reach(stage, 200_000, 50_000);
        stage.plan(one.url(), "free");
        reach(stage, 8_000, 2_000);
        await().during(Duration.ofMillis(2_500)).until(() -> thresholds(stage).size() == 2);
        assertThat(thresholds(stage))
                .extracting(told -> told.path("limit").asInt())
                .containsExactly(10_000, 250_000);
    }

    /** Runs the last command of so many, once it is known of the others; leaves so many. */
    private static void reach(QuotaStage stage, int count, int left) {
        stage.commands(CLOCK.instant(), count - 1);
        await().until(() -> left(stage, one.url()) == left + 1);
        list(stage, one.url());
        await().until(() -> stage.commands(CLOCK.instant()) == count);
    }

    private static java.util.List<JsonNode> thresholds(QuotaStage stage) {
        return stage.events(EventType.QUOTA_THRESHOLD_REACHED);
    }

    @Test
    void refusalsAreToldOnceAMinute() {
        var stage = new QuotaStage(Door.REST);
        stage.plan(one.url(), "free");
        stage.commands(CLOCK.instant(), LIMIT);
        await().until(() -> isRefused(stage, one.url()) & isRefused(stage, two.url()));
        for (var minute = 1; minute <= 3; minute++) {
            var expected = minute;
            await().until(() -> {
                isRefused(stage, one.url());
                isRefused(stage, two.url());
                return rejected(stage).size() >= expected;
            });
            for (var i = 0; i < 20; i++) {
                isRefused(stage, i % 2 == 0 ? one.url() : two.url());
            }
            await().during(Duration.ofMillis(1_500)).until(() -> rejected(stage).size() == expected);
            CLOCK.advance(Duration.ofSeconds(61));
        }
        assertThat(rejected(stage).getFirst().toString())
                .isEqualTo(
                        "{\"scope\":\"commands\",\"limit\":10000,\"count\":10000,\"plan\":\"free\",\"service\":\"AP_List\"}");
    }

    private static java.util.List<JsonNode> rejected(QuotaStage stage) {
        return stage.events(EventType.QUOTA_REQUEST_REJECTED);
    }

    /** What it had not written yet: the calls of about a second. Those that it had are counted. */
    @Test
    void aKilledReplicaLosesWhatItHadNotWrittenAndAStoppedOneNothing() throws Exception {
        var stage = new QuotaStage(Door.REST);
        var acknowledged = 0L;
        var written = 0L;
        try (var engine = EngineProcess.replica(dataDir)) {
            while (written < 20) { // It writes while it goes on counting.
                list(stage, engine.url());
                acknowledged++;
                written = stage.commands(Instant.now());
            }
            engine.kill();
        }
        var counted = stage.commands(Instant.now());
        System.out.printf("killed: %d of %d calls counted%n", counted, acknowledged);
        assertThat(counted).isBetween(written, acknowledged);
        try (var engine = EngineProcess.start(
                dataDir,
                Map.of("ENGINE_DATABASE_URL", TestDatabase.url(), "ENGINE_SECRETS_KEY", TestDatabase.SECRETS_KEY))) {
            for (var i = 0; i < 50; i++) {
                list(stage, engine.url());
            }
            assertThat(engine.stop()).isZero();
        }
        assertThat(stage.commands(Instant.now())).isEqualTo(counted + 50);
    }
}
