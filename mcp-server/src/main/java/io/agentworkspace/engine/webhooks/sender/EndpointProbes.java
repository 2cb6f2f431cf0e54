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
 * What is sent to customers' endpoints while a caller waits, pre-flights and gradings: two of a tenant at once, and eight on a replica.
 * They have a sender of their own, so that no delivery waits for what they wait for, such as name servers that never answer.
 */
public final class EndpointProbes implements AutoCloseable {
    static final int EACH = 2;
    static final int IN_ALL = 8;

    /** More than may be at once, since a look-up goes on for a while after whoever asked for it has given up. */
    private static final int NAMES = 32;

    private static final Duration SOON = Duration.ofSeconds(5);

    private final Sender sender;
    private final Grader grader;
    private final Clock clock;
    private final Map<Long, Integer> underWay = new HashMap<>();

    /**
     * @param allowPrivate whether private and loopback addresses may be connected to, for development
     * @param authorities trusted besides the JVM's
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

    /** Looks at an endpoint without sending it anything; one too many is not looked at, since that hinders nothing. */
    public Preflight check(long tenant, URI url) {
        if (!begun(tenant)) {
            return Preflight.none(clock.instant(), "too many are at once");
        }
        try {
            return sender.check(url);
        } finally {
            end(tenant);
        }
    }

    /**
     * Tries a receiver, as {@link Grader} does.
     *
     * @throws Problem {@code rate_limited} when it is one too many
     */
    public List<Trial> grade(long tenant, Receiver receiver, Progress progress) {
        if (!begun(tenant)) {
            throw Problem.rateLimited(
                    "of a tenant's endpoints %d are looked at or graded at once, and of all tenants' %d: try again soon"
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
