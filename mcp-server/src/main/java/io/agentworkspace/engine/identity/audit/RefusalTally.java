package io.agentworkspace.engine.identity.audit;

import io.agentworkspace.engine.model.tool.Caller;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the refusals of each key or session in a minute. The first ones get an entry each in the audit; the rest are
 * summarized in one, so that nobody can fill the database with refusals.
 */
final class RefusalTally {
    static final int EACH_MINUTE = 60;

    private final Map<TallyKey, Minute> minutes = new HashMap<>();

    private record TallyKey(long tenant, String principal, Instant minute, boolean done) {}

    /** The summary of a minute's refusals without their own entries. */
    record Sum(long tenant, AuditEntry entry) {}

    private static final class Minute {
        private int refusals;
        private @Nullable AuditEntry last;
    }

    /** Counts a refusal, and returns whether it gets its own entry. */
    synchronized boolean isSingle(Caller caller, AuditEntry refusal) {
        var begin = refusal.at().truncatedTo(ChronoUnit.MINUTES);
        var key = new TallyKey(
                caller.tenant(), caller.principal(), begin, refusal.result().equals(AuditEntry.DONE));
        var minute = minutes.computeIfAbsent(key, _ -> new Minute());
        minute.refusals++;
        if (minute.refusals <= EACH_MINUTE) {
            return true;
        }
        minute.last = refusal;
        return false;
    }

    /** Returns and removes the summaries of the minutes that have ended by then. */
    synchronized List<Sum> over(Instant now) {
        var current = now.truncatedTo(ChronoUnit.MINUTES);
        var sums = new ArrayList<Sum>();
        minutes.entrySet().removeIf(entry -> {
            var minute = entry.getValue();
            if (!entry.getKey().minute().isBefore(current)) {
                return false;
            }
            if (minute.last != null) {
                sums.add(new Sum(entry.getKey().tenant(), minute.last.summing(minute.refusals - EACH_MINUTE)));
            }
            return true;
        });
        return sums;
    }
}
