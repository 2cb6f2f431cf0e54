package io.agentworkspace.engine.identity.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Concurrent reads of a tenant's counts and writes of new counts. */
@Tag("slow")
class QuotaFlushTest {
    private static Caller caller(long tenant) {
        TestDatabase.db()
                .sql("UPDATE tenant_plan SET plan = 'free' WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .run();
        return new Caller(tenant, "t", 1, "ann", Role.OWNER, Set.of("*"), "key:x", null);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whoComesWhileCountsAreWrittenIsAnswered() {
        var callers = IntStream.range(0, 100)
                .mapToObj(_ -> caller(new TestTenant().id(ClientApi.REST)))
                .toList();
        for (var round = 0; round < 5; round++) {
            var quotas = TestDatabase.metering().quotas();
            var done = new AtomicBoolean();
            var left = Concurrently.of(5, i -> {
                if (i == 0) {
                    while (!done.get()) {
                        quotas.flush();
                    }
                    return 0L;
                }
                var sum = callers.stream()
                        .mapToLong(one -> quotas.commands(one).getFirst().remaining())
                        .sum();
                done.set(true);
                return sum;
            });
            assertThat(left.subList(1, 5)).containsOnly(1_000_000L);
        }
    }
}
