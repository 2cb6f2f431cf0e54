package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Replica;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One rate for each key, on however many replicas. */
class RateReplicasTest {
    private static final int BURST = 200;

    private static Replica one;
    private static Replica two;

    @BeforeAll
    static void start() {
        var settings = Map.of("ENGINE_RATE_LIMIT", "1/s burst " + BURST);
        one = Replica.start(settings);
        two = Replica.start(settings);
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
    }

    private static int status(String url, String key) {
        return Way.GENERIC.call(url, key, "AP_List", "{}", Map.of()).status();
    }

    /** Asks so often at once, again and again, until one of them is refused; how many were not. */
    private static int exhaust(String url, String key, int atOnce, Duration pause) {
        var served = 0;
        while (true) {
            var letThrough = (int) Crowd.of(atOnce, _ -> status(url, key)).stream()
                    .filter(status -> status == 200)
                    .count();
            served += letThrough;
            if (letThrough < atOnce) {
                return served;
            }
            await().pollDelay(pause).until(() -> true);
        }
    }

    /** The other one hears of it about a second later; meanwhile it is asked four times a second, which is more than comes back. */
    @Test
    void whatOneReplicaLetThroughIsMissingAtTheOther() {
        var key = new QuotaStage(Door.REST).key;
        assertThat(exhaust(one.url(), key, 8, Duration.ZERO)).isBetween(BURST, 2 * BURST);
        var more = exhaust(two.url(), key, 4, Duration.ofSeconds(1));
        System.out.printf("the other replica served %d more%n", more);
        assertThat(more).isLessThan(BURST / 2);
        assertThat(status(one.url(), key) == 200 && status(two.url(), key) == 200)
                .isFalse();
    }
}
