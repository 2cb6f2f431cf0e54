package io.agentworkspace.engine.db;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestAttributes;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the database has refused lately: the operator reads of it in the log, and health tells it for a minute. */
final class RefusalLog {
    private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
    private static final Duration TOLD_EVERY = Duration.ofSeconds(10);
    private static final Duration LATELY = Duration.ofMinutes(1);

    private final Map<Outage, Seen> seen = new EnumMap<>(Outage.class);

    /**
     * When, by {@link System#nanoTime}.
     *
     * @param more how many have not been told of since
     */
    private record Seen(long last, long told, int more) {}

    /** Notes it, and makes the caller's answer of it. */
    Problem note(Outage outage, SqlState state) {
        var more = count(outage);
        if (more >= 0) {
            var line = LOG.atWarn().addKeyValue("sqlstate", state.code());
            if (RequestAttributes.CURRENT_ID.isBound()) {
                line = line.addKeyValue("request_id", RequestAttributes.CURRENT_ID.get());
            }
            if (more > 0) {
                line = line.addKeyValue("more_before", more);
            }
            line.log("database {}: {}", outage.words(), state.words());
        }
        return outage.problem();
    }

    /** How many were passed over before this one, or -1: pass over this one, too. */
    private synchronized int count(Outage outage) {
        var now = System.nanoTime();
        var before = seen.get(outage);
        if (before != null && now - before.told() < TOLD_EVERY.toNanos()) {
            seen.put(outage, new Seen(now, before.told(), before.more() + 1));
            return -1;
        }
        seen.put(outage, new Seen(now, now, 0));
        return before == null ? 0 : before.more();
    }

    synchronized boolean lately(Outage outage) {
        var last = seen.get(outage);
        return last != null && System.nanoTime() - last.last() < LATELY.toNanos();
    }
}
