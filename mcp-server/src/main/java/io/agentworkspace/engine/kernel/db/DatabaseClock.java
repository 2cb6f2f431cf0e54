package io.agentworkspace.engine.kernel.db;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time of the database's server, which all replicas share: this machine's clock, corrected by its difference from the
 * database's whenever {@link #adjust} has measured it. Before that it is this machine's.
 */
public final class DatabaseClock extends Clock {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseClock.class);
    private static final String TIME = "SELECT clock_timestamp() AS now";

    /** Below it, a machine counts as synchronized, and the difference is not worth a warning. */
    private static final Duration WRONG = Duration.ofSeconds(1);

    /** PostgreSQL cuts its time off at microseconds. */
    private static final Duration RESOLUTION = Duration.ofNanos(1_000);

    private final Clock machine;
    /** What is added to the machine's time. */
    private final AtomicReference<Duration> correction;

    public DatabaseClock(Clock machine) {
        this(machine, new AtomicReference<>(Duration.ZERO));
    }

    private DatabaseClock(Clock machine, AtomicReference<Duration> correction) {
        this.machine = machine;
        this.correction = correction;
    }

    /**
     * Measures the difference (Cristian's algorithm). The database read its clock between the two readings of ours, so the
     * difference is known to within the round trip. A correction within these bounds is kept, so that time does not jitter.
     */
    public void adjust(Db db) {
        var sent = machine.instant();
        var there = db.sql(TIME)
                .one(row -> Objects.requireNonNull(row.instantOrNull("now")))
                .orElseThrow();
        var received = machine.instant();
        var least = Duration.between(received, there);
        var most = Duration.between(sent, there).plus(RESOLUTION);
        var before = correction.get();
        if (before.compareTo(least) >= 0 && before.compareTo(most) <= 0) {
            return;
        }
        var now = least.plus(most).dividedBy(2);
        correction.set(now);
        if (now.minus(before).abs().compareTo(WRONG) > 0) {
            LOG.warn(
                    "this machine's clock is {} s {} the database's, whose time is used: synchronize both (NTP)",
                    now.abs().toMillis() / 1e3,
                    now.isNegative() ? "ahead of" : "behind");
        }
    }

    @Override
    public Instant instant() {
        return machine.instant().plus(correction.get());
    }

    @Override
    public ZoneId getZone() {
        return machine.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new DatabaseClock(machine.withZone(zone), correction);
    }
}
