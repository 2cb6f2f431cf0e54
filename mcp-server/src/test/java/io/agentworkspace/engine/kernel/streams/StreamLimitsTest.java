package io.agentworkspace.engine.kernel.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StreamLimitsTest {
    private static final int KIB = 1024;
    private static final int HEAP = 4 * 3 * 100 * KIB; // 100 KiB for each caller's streams

    private final StreamLimits bounds =
            new StreamLimits(new StreamLimits.Share(2, 3, 5, 7), HEAP, Duration.ofSeconds(1));

    private StreamLimits.Places places(long tenant, long user, String key) {
        return bounds.of(new Caller(tenant, "t", user, "u", Role.VIEWER, Set.of("*"), "key:" + key, null));
    }

    private static void refused(String what, StreamLimits.Places places, long bytes) {
        assertThatThrownBy(() -> places.take(bytes)).as(what).isInstanceOf(Problem.class);
    }

    @Test
    void streamsAreBoundedForEachKeyUserAndTenantAndInAll() {
        var first = places(1, 1, "a");
        first.take(0);
        places(1, 1, "a").take(0);
        refused("a third stream of one key", places(1, 1, "a"), 0);
        places(1, 1, "b").take(0);
        refused("a fourth stream of one user", places(1, 1, "c"), 0);
        places(1, 2, "d").take(0);
        places(1, 3, "e").take(0);
        refused("a sixth stream of one tenant", places(1, 4, "f"), 0);
        places(2, 5, "g").take(0);
        places(2, 5, "g").take(0);
        refused("an eighth stream in all", places(3, 6, "h"), 0);
        assertThat(bounds.open()).isEqualTo(7);
        first.giveBack();
        assertThat(bounds.open()).isEqualTo(6);
        places(1, 1, "c").take(0);
    }

    @Test
    void streamsHaveAtMostHalfOfTheConnectionsAndOneTenantHalfOfThat() {
        var share = new StreamLimits.Share(2_500, 3_000, 4_000, 8_000);
        assertThat(share.within(16_384)).isEqualTo(new StreamLimits.Share(2_500, 3_000, 4_000, 8_000));
        assertThat(share.within(12_000)).isEqualTo(new StreamLimits.Share(2_500, 3_000, 3_000, 6_000));
        assertThat(share.within(724)).isEqualTo(new StreamLimits.Share(181, 181, 181, 362));
        assertThat(share.within(1)).isEqualTo(new StreamLimits.Share(1, 1, 1, 2));
    }

    @Test
    void streamsAreBoundedByWhatTheyKeep() {
        var first = places(1, 1, "a");
        first.take(60 * KIB);
        refused("more than 100 KiB of one key, with the 8 KiB of each stream", places(1, 1, "a"), 30 * KIB);
        assertThat(bounds.open()).isEqualTo(1);
        var second = places(1, 1, "a");
        second.take(0);
        assertThatThrownBy(() -> second.grow(30 * KIB)).isInstanceOf(Problem.class);
        first.grow(-30 * KIB);
        second.grow(30 * KIB);
        second.giveBack();
        first.grow(60 * KIB);
        first.giveBack();
        places(1, 1, "a").take(90 * KIB);
    }
}
