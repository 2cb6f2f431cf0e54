package io.agentworkspace.engine.webhooks.sender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.webhooks.RawReceiver;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The number of concurrent probes of endpoints. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndpointProbesTest {
    private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
    private static final PreflightReport NONE =
            new PreflightReport(NOW, false, false, null, false, "not looked at: too many are at once");

    private final CountDownLatch release = new CountDownLatch(1);
    private final List<Future<PreflightReport>> begun = new ArrayList<>();

    @Test
    void aTenantHasTwoAtOnceAndAReplicaEight() throws Exception {
        try (var slow = new RawReceiver((socket, out) -> {
                    release.await();
                    out.write(RawReceiver.status(200).getBytes(StandardCharsets.US_ASCII));
                });
                var probes = new EndpointProbes(true, List.of(), Clock.fixed(NOW, ZoneOffset.UTC));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            begin(probes, 1, slow, threads);
            assertThat(probes.check(1, slow.url())).isEqualTo(NONE);
            refused(probes, 1, slow.url());
            for (var tenant = 2; tenant <= 4; tenant++) {
                begin(probes, tenant, slow, threads);
            }
            assertThat(probes.check(5, slow.url())).isEqualTo(NONE);
            refused(probes, 5, slow.url());
            assertThat(slow.requests()).hasSize(8);
            release.countDown();
            for (var each : begun) {
                assertThat(each.get().ok()).isTrue();
            }
            for (var again = 0; again < 3; again++) {
                assertThat(probes.check(1, slow.url()).ok()).isTrue();
                assertThat(probes.grade(5, receiver(slow.url()), Progress.SILENT))
                        .hasSize(9);
            }
        }
    }

    private void begin(EndpointProbes probes, long tenant, RawReceiver slow, ExecutorService threads)
            throws InterruptedException {
        for (var i = 0; i < 2; i++) {
            begun.add(threads.submit(() -> probes.check(tenant, slow.url())));
        }
        await().until(() -> slow.requests().size() == begun.size());
    }

    private static void refused(EndpointProbes probes, long tenant, URI url) {
        assertThatThrownBy(() -> probes.grade(tenant, receiver(url), Progress.SILENT))
                .isInstanceOfSatisfying(Problem.class, problem -> {
                    assertThat(problem.failure()).isEqualTo(Failure.RATE_LIMITED);
                    assertThat(problem.retryAfter()).isEqualTo(Duration.ofSeconds(5));
                });
    }

    private static Grader.Receiver receiver(URI url) {
        var random = new SecureRandom();
        return new Grader.Receiver(url, Signature.newSecret(random), Signature.newSecret(random));
    }
}
