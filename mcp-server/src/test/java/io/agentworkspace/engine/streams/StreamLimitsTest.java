package io.agentworkspace.engine.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StreamLimitsTest {
    private final StreamLimits bounds = new StreamLimits(new StreamLimits.Share(2, 3, 5, 7), Duration.ofSeconds(1));

    private StreamLimits.Places places(long tenant, long user, String key) {
        return bounds.of(new Caller(tenant, "t", user, "u", Role.VIEWER, Set.of("*"), "key:" + key, null));
    }

    @Test
    void streamsAreBoundedForEachKeyUserAndTenantAndInAll() {
        var first = places(1, 1, "a");
        assertThat(first.take()).isTrue();
        assertThat(places(1, 1, "a").take()).isTrue();
        assertThat(places(1, 1, "a").take()).as("a third stream of one key").isFalse();
        assertThat(places(1, 1, "b").take()).isTrue();
        assertThat(places(1, 1, "c").take()).as("a fourth stream of one user").isFalse();
        assertThat(places(1, 2, "d").take()).isTrue();
        assertThat(places(1, 3, "e").take()).isTrue();
        assertThat(places(1, 4, "f").take()).as("a sixth stream of one tenant").isFalse();
        assertThat(places(2, 5, "g").take()).isTrue();
        assertThat(places(2, 5, "g").take()).isTrue();
        assertThat(places(3, 6, "h").take()).as("an eighth stream in all").isFalse();
        assertThat(bounds.open()).isEqualTo(7);
        first.giveBack();
        assertThat(bounds.open()).isEqualTo(6);
        assertThat(places(1, 1, "c").take()).isTrue();
    }
}
