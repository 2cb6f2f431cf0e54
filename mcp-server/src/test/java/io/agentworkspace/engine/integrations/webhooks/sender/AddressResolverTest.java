package io.agentworkspace.engine.integrations.webhooks.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.kernel.outbound.AddressResolver;
import io.agentworkspace.engine.kernel.outbound.OutboundFailure;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The number of concurrent look-ups of names, and of those that wait. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AddressResolverTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    @Test
    void oneTooManyIsRefusedAtOnceAndLaterLookedUp() throws Exception {
        var release = new CountDownLatch(1);
        AddressResolver.Lookup lookup = _ -> {
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return new InetAddress[] {HERE};
        };
        var all = List.of("a.test", "b.test", "c.test", "d.test");
        try (var names = new AddressResolver(lookup, AddressPolicy.ofPrivate(true), 2, 1);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var lookups = new ExecutorCompletionService<Set<InetAddress>>(threads);
            all.forEach(name -> lookups.submit(() -> names.resolve(name, LIMIT)));
            assertThat(fault(lookups)).isEqualTo("the name was not looked up: too many are at once");
            release.countDown();
            for (var others = 1; others < all.size(); others++) {
                assertThat(lookups.take().get()).containsExactly(HERE);
            }
            for (var name : all) {
                assertThat(names.resolve(name, LIMIT)).containsExactly(HERE);
            }
        }
    }

    private static String fault(ExecutorCompletionService<?> lookups) throws InterruptedException {
        try {
            return "none: " + lookups.take().get();
        } catch (ExecutionException e) {
            return e.getCause() instanceof OutboundFailure fault ? fault.words() : e.toString();
        }
    }
}
