package io.agentworkspace.engine.webhooks.sender;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.webhooks.sender.Grader.Receiver;
import io.agentworkspace.engine.webhooks.sender.Grader.Trial;
import java.net.InetAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends requests to customers' endpoints while a caller waits: pre-flights and gradings. At most two run at once for
 * a tenant, and eight on a replica. They have their own sender, so that deliveries do not wait behind them, for
 * example for slow name servers.
 */
public final class EndpointProbes implements AutoCloseable {
    static final int EACH = 2;
    static final int IN_ALL = 8;

    /** More than the number of concurrent probes, since a look-up continues for a while after its caller has given up. */
    private static final int NAMES = 32;

    private static final Duration SOON = Duration.ofSeconds(5);

    private final Sender sender;
    private final Grader grader;
    private final Clock clock;
    private final Map<Long, Integer> underWay = new HashMap<>();

    /**
     * @param allowPrivate whether private and loopback addresses are allowed, for development
     * @param authorities trusted in addition to the JVM's
     */
    public EndpointProbes(boolean allowPrivate, List<X509Certificate> authorities, Clock clock) {
        this(
                new Sender(
                        new AddressResolver(InetAddress::getAllByName, allowPrivate, NAMES, NAMES), authorities, clock),
                clock);
    }

    EndpointProbes(Sender sender, Clock clock) {
        this.sender = sender;
        this.grader = new Grader(sender, clock);
        this.clock = clock;
    }

    /**
     * Checks an endpoint without sending it an event. If too many checks are running, this one is
     * skipped, which blocks nothing.
     */
    public PreflightReport check(long tenant, URI url) {
        if (!begun(tenant)) {
            return PreflightReport.none(clock.instant(), "too many are at once");
        }
        try {
            return sender.check(url);
        } finally {
            end(tenant);
        }
    }

    /**
     * Tests a receiver, as {@link Grader} does.
     *
     * @throws Problem {@code rate_limited} if too many tests are running
     */
    public List<Trial> grade(long tenant, Receiver receiver, Progress progress) {
        if (!begun(tenant)) {
            throw Problem.rateLimited(
                    "only %d checks of a tenant's endpoints, and %d of all tenants', run at once: try again soon"
                            .formatted(EACH, IN_ALL),
                    SOON);
        }
        try {
            return grader.grade(receiver, progress);
        } finally {
            end(tenant);
        }
    }

    private synchronized boolean begun(long tenant) {
        var all = underWay.values().stream().mapToInt(Integer::intValue).sum();
        if (all >= IN_ALL || underWay.getOrDefault(tenant, 0) >= EACH) {
            return false;
        }
        underWay.merge(tenant, 1, Integer::sum);
        return true;
    }

    private synchronized void end(long tenant) {
        underWay.computeIfPresent(tenant, (_, count) -> count == 1 ? null : count - 1);
    }

    @Override
    public void close() {
        sender.close();
    }
}
