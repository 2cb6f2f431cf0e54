package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Problem;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is done in the background: what was noted in memory is written, and what has had its time is cleared away in small batches. */
public final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final Duration CONTEXTS_KEPT = Duration.ofDays(90);
    private static final Duration EVERY = Duration.ofMinutes(10);

    private final Db db;
    private final Presence presence;
    private final List<Runnable> flushes;
    private final Clock clock;
    private final List<Consumer<Instant>> clearing;
    private final List<Runnable> minutely = new ArrayList<>();
    private final ScheduledExecutorService timer = thread("housekeeping");

    /** Of its own: what is cleared away may be much, and the counts of other replicas are waited for meanwhile. */
    private final ScheduledExecutorService clearer = thread("clearing");

    /**
     * @param flushes what else is written, every second
     * @param purges what else is cleared away, each up to the instant given
     */
    public Housekeeping(Db db, Presence presence, List<Runnable> flushes, Clock clock, List<Consumer<Instant>> purges) {
        this.db = db;
        this.presence = presence;
        this.flushes = List.copyOf(flushes);
        this.clock = clock;
        this.clearing = List.copyOf(purges);
    }

    private static ScheduledExecutorService thread(String name) {
        return Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /** What else is written every minute, and once more at the end. */
    public Housekeeping also(Runnable flush) {
        minutely.add(flush);
        return this;
    }

    /** @param quiet how long nothing is cleared away; then it is every ten minutes */
    public void start(Duration quiet) {
        timer.scheduleWithFixedDelay(() -> minutely.forEach(Housekeeping::attempt), 1, 1, TimeUnit.MINUTES);
        timer.scheduleWithFixedDelay(() -> attempt(presence::flush), 5, 5, TimeUnit.SECONDS);
        timer.scheduleWithFixedDelay(() -> flushes.forEach(Housekeeping::attempt), 1, 1, TimeUnit.SECONDS);
        clearer.scheduleWithFixedDelay(
                () -> attempt(this::clear), quiet.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void attempt(Runnable work) {
        try {
            work.run();
        } catch (Problem e) {
            LOG.debug("put off: {}", e.note());
        } catch (RuntimeException e) {
            LOG.warn("housekeeping failed; it is tried again", e);
        }
    }

    /** Clears away everything that has had its time. */
    public void clear() {
        var now = clock.instant();
        db.deleteOld("idempotency", "created_at <= :until", now.minus(IdempotencyStore.KEPT));
        db.deleteOld("mcp_task", "expires_at <= :until", now);
        db.deleteOld("context", "used_at <= :until", now.minus(CONTEXTS_KEPT));
        clearing.forEach(purge -> purge.accept(now));
    }

    @Override
    public void close() {
        clearer.shutdownNow();
        timer.shutdownNow();
        attempt(presence::flush);
        flushes.forEach(Housekeeping::attempt);
        minutely.forEach(Housekeeping::attempt);
    }
}
