package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The recent failures of the database. They are logged for the operator, and health reports them for a minute. */
final class RefusalLog {
    private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
    private static final Duration LOGGED_EVERY = Duration.ofSeconds(10);
    private static final Duration LATELY = Duration.ofMinutes(1);

    private final Map<Outage, Seen> seen = new EnumMap<>(Outage.class);

    /**
     * When a failure occurred and was logged, by {@link System#nanoTime}.
     *
     * @param unlogged how many have not been logged since
     */
    private record Seen(long last, long logged, int unlogged) {}

    /** Records the failure, and returns the problem for the caller. */
    Problem note(Outage outage, SqlState state) {
        var more = count(outage);
        if (more >= 0) {
            var line = LOG.atWarn().addKeyValue("sqlstate", state.code());
            if (RequestContext.CURRENT_ID.isBound()) {
                line = line.addKeyValue("request_id", RequestContext.CURRENT_ID.get());
            }
            if (more > 0) {
                line = line.addKeyValue("more_before", more);
            }
            line.log("database {}: {}", outage.words(), state.words());
        }
        return outage.problem();
    }

    /** Returns how many failures were not logged before this one, or -1 if this one is not logged either. */
    private synchronized int count(Outage outage) {
        var now = System.nanoTime();
        var before = seen.get(outage);
        if (before != null && now - before.logged() < LOGGED_EVERY.toNanos()) {
            seen.put(outage, new Seen(now, before.logged(), before.unlogged() + 1));
            return -1;
        }
        seen.put(outage, new Seen(now, now, 0));
        return before == null ? 0 : before.unlogged();
    }

    synchronized boolean lately(Outage outage) {
        var last = seen.get(outage);
        return last != null && System.nanoTime() - last.last() < LATELY.toNanos();
    }
}
