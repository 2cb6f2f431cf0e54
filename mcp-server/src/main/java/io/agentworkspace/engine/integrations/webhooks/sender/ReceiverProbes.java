package io.agentworkspace.engine.integrations.webhooks.sender;

import io.agentworkspace.engine.integrations.webhooks.sender.Grader.Receiver;
import io.agentworkspace.engine.integrations.webhooks.sender.Grader.Trial;
import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.kernel.outbound.AddressResolver;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Progress;
import java.net.InetAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * Sends requests to customers' receivers while a caller waits: pre-flights and gradings. How many
 * run at once is limited ({@link ProbePlaces}). They have their own sender, so that deliveries do not wait behind them, for
 * example for slow name servers.
 */
public final class ReceiverProbes implements AutoCloseable {
    /** More than the number of concurrent probes, since a look-up continues for a while after its caller has given up. */
    private static final int NAMES = 32;

    private static final Duration SOON = Duration.ofSeconds(5);

    private final Sender sender;
    private final Grader grader;
    private final Clock clock;
    private final ProbePlaces places;

    /**
     * @param allowPrivate whether private and loopback addresses are allowed, for development
     * @param authorities trusted in addition to the JVM's
     */
    public ReceiverProbes(boolean allowPrivate, List<X509Certificate> authorities, Clock clock) {
        this(
                new Sender(
                        new AddressResolver(
                                InetAddress::getAllByName, AddressPolicy.ofPrivate(allowPrivate), NAMES, NAMES),
                        authorities,
                        clock),
                clock,
                new ProbePlaces());
    }

    ReceiverProbes(Sender sender, Clock clock, ProbePlaces places) {
        this.sender = sender;
        this.places = places;
        this.grader = new Grader(sender, clock);
        this.clock = clock;
    }

    /**
     * Checks a receiver without sending it an event. If too many checks are running, this one is
     * skipped, which blocks nothing.
     */
    public PreflightReport check(long tenant, URI url) {
        if (!places.take(tenant)) {
            return PreflightReport.none(clock.instant(), "too many are at once");
        }
        try {
            return sender.check(url);
        } finally {
            places.free(tenant);
        }
    }

    /**
     * Tests a receiver, as {@link Grader} does.
     *
     * @throws Problem {@code rate_limited} if too many tests are running
     */
    public List<Trial> grade(long tenant, Receiver receiver, Progress progress) {
        if (!places.take(tenant)) {
            throw Problem.rateLimited(
                    "only %d checks of a tenant's endpoints, and %d of all tenants', run at once: try again soon"
                            .formatted(ProbePlaces.EACH, ProbePlaces.IN_ALL),
                    SOON);
        }
        try {
            return grader.grade(receiver, progress);
        } finally {
            places.free(tenant);
        }
    }

    @Override
    public void close() {
        sender.close();
    }
}
