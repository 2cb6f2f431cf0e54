package io.agentworkspace.engine.integrations.webhooks.sender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.integrations.webhooks.RawReceiver;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Progress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The number of concurrent probes of endpoints. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReceiverProbesTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);
    private static final PreflightReport NONE = PreflightReport.none(CLOCK.instant(), "too many are at once");

    private final ProbePlaces places = new ProbePlaces();

    @Test
    void aTenantHasTwoAtOnceAndAReplicaEight() throws Exception {
        try (var receiver = new RawReceiver(
                        (socket, out) -> out.write(RawReceiver.status(200).getBytes(StandardCharsets.US_ASCII)));
                var probes = new ReceiverProbes(new Sender(true, List.of(), CLOCK), CLOCK, places)) {
            take(1);
            refused(probes, 1, receiver.url());
            assertThat(probes.check(2, receiver.url()).ok()).isTrue();
            for (var tenant = 2; tenant <= 4; tenant++) {
                take(tenant);
            }
            refused(probes, 5, receiver.url());
            places.free(4);
            for (var again = 0; again < 3; again++) {
                assertThat(probes.check(5, receiver.url()).ok()).isTrue();
                assertThat(probes.grade(5, receiver(receiver.url()), Progress.SILENT))
                        .hasSize(9);
            }
            refused(probes, 1, receiver.url());
        }
    }

    /** Takes both places of the tenant, as two probes that have not ended. */
    private void take(long tenant) {
        assertThat(places.take(tenant)).isTrue();
        assertThat(places.take(tenant)).isTrue();
    }

    private static void refused(ReceiverProbes probes, long tenant, URI url) {
        assertThat(probes.check(tenant, url)).isEqualTo(NONE);
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
