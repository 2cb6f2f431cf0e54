package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamStore.Health;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How one server does, as this replica sees it. After {@value #PATIENCE} failures in a row its calls fail at once for a
 * pause, which doubles up to a minute; then one call tests it.
 */
final class UpstreamHealth {
    static final int PATIENCE = 3;

    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int REMEMBERED = 200;

    private final Clock clock;
    private final long[] durations = new long[REMEMBERED];
    private int calls;
    private int inRow;
    private int openings;
    private boolean isTested;
    private boolean isUnwritten;
    private @Nullable Instant openUntil;
    private @Nullable Instant failingSince;
    private @Nullable String error;
    private @Nullable Instant errorAt;

    UpstreamHealth(Clock clock) {
        this.clock = clock;
    }

    /** @throws Problem {@code unavailable} with {@code retry_at}, while it is not worth trying */
    synchronized void admit(String name) {
        var until = openUntil;
        if (until == null) {
            return;
        }
        var now = clock.instant();
        if (now.isBefore(until) || isTested) {
            var again = now.isBefore(until) ? until : now.plus(FIRST);
            throw Problem.unavailable(
                            "the upstream server '%s' does not answer (%s): try again at retry_at, or do without it"
                                    .formatted(name, error),
                            Duration.between(now, again).plusMillis(999))
                    .with("retry_at", again);
        }
        isTested = true;
    }

    synchronized void succeeded(long nanos) {
        durations[calls++ % REMEMBERED] = nanos;
        inRow = 0;
        openings = 0;
        openUntil = null;
        isTested = false;
        failingSince = null;
        isUnwritten = true;
    }

    synchronized void failed(String words) {
        var now = clock.instant();
        error = words;
        errorAt = now;
        isTested = false;
        isUnwritten = true;
        failingSince = failingSince == null ? now : failingSince;
        if (++inRow >= PATIENCE) {
            var pause = FIRST.multipliedBy(1L << Math.min(openings, 6));
            openings++;
            openUntil = now.plus(pause.compareTo(LONGEST) < 0 ? pause : LONGEST);
        }
    }

    /** Notes that a call ended without a sign of the server's health. */
    synchronized void ended() {
        isTested = false;
    }

    /** Returns what is not written yet; null if there is nothing. */
    synchronized @Nullable Health unwritten(long tenant, String name) {
        if (!isUnwritten) {
            return null;
        }
        isUnwritten = false;
        var count = Math.min(calls, REMEMBERED);
        var sorted = Arrays.copyOf(durations, count);
        Arrays.sort(sorted);
        return new Health(
                tenant,
                name,
                error,
                errorAt == null ? null : errorAt.toString(),
                failingSince == null ? null : failingSince.toString(),
                count == 0 ? null : millis(sorted[count / 2]),
                count == 0 ? null : millis(sorted[Math.min(count - 1, count * 99 / 100)]));
    }

    private static int millis(long nanos) {
        return Math.toIntExact(Duration.ofNanos(nanos).toMillis());
    }
}
