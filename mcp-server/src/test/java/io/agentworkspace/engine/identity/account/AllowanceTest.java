package io.agentworkspace.engine.identity.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The remaining allowances that responses report. */
class AllowanceTest {
    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void whoAsksWhoItIsHearsWhatIsLeft(ClientApi api) {
        var key = new TestTenant().key(api, "ann", Role.MEMBER, List.of("*"));
        var settings = Map.of("ENGINE_DATABASE_URL", TestDatabase.url(), "ENGINE_RATE_LIMIT", "1/s burst 100");
        var clock = new TestClock(3_600); // So slow that nothing is given back meanwhile.
        try (var engine = Replica.start(settings, clock)) {
            var first = api.call(engine.url(), key, "US_Read", Json.object()).ok();
            assertThat(first.text("/profile/0/limits/0/scope")).isEqualTo("rate");
            assertThat(first.number("/profile/0/limits/0/limit")).isEqualTo(100);
            assertThat(first.number("/profile/0/limits/0/window_seconds")).isEqualTo(100);
            var left = first.number("/profile/0/limits/0/remaining");
            assertThat(left).isBetween(98L, 99L);
            var second = api.call(engine.url(), key, "US_Read", Json.object()).ok();
            assertThat(second.number("/profile/0/limits/0/remaining")).isEqualTo(left - 1);
        }
    }
}
