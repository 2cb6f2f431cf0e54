package io.agentworkspace.engine.webhooks.outbox;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.secrets.SecretsFailure;
import io.agentworkspace.engine.webhooks.outbox.OutboxStore.Claim;
import io.agentworkspace.engine.webhooks.sender.AttemptResult;
import io.agentworkspace.engine.webhooks.sender.Sender;
import io.agentworkspace.engine.webhooks.sender.Signature;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings events to the endpoints that subscribe to them. Every replica does it: it gives what was committed its place in the
 * feed, takes deliveries that are due, attempts each on a virtual thread of its own, and has the {@link AttemptWriter} write what
 * came of it. What a replica that died had taken is due again when its lease ends.
 */
public final class Outbox implements AutoCloseable {
    /** So many deliveries to one endpoint are under way at once; fewer where little room is left. */
    public static final int EACH = 32;

    /** So many to one endpoint are, while there is any room. */
    private static final int FEW = 2;

    private static final int SHARES = 4;

    /** So many are under way on one replica. */
    static final int IN_ALL = 256;

    /** Longer than an attempt can take, and its result to be written. */
    static final Duration LEASE = Duration.ofSeconds(20);

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    private static final Duration BETWEEN_JUDGEMENTS = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final FeedStore feed;
    private final OutboxStore store;
    private final Sender sender;
    private final RetrySchedule schedule;
    private final AttemptWriter writer;
    private final Clock clock;
    private final Semaphore free = new Semaphore(IN_ALL);
    private final ExecutorService attempts = Executors.newVirtualThreadPerTaskExecutor();
    private final WorkLoop placing = new WorkLoop("events are placed", this::place);
    private final WorkLoop claiming = new WorkLoop("deliveries are claimed", this::claim);
    private final Cache<UUID, Boolean> unopened = Caffeine.newBuilder()
            .maximumSize(10_000)
            .expireAfterWrite(Duration.ofHours(1))
            .build();
    private Instant judged = Instant.MIN;

    public Outbox(FeedStore feed, OutboxStore store, Sender sender, RetrySchedule schedule, Clock clock) {
        this.feed = feed;
        this.store = store;
        this.sender = sender;
        this.schedule = schedule;
        this.clock = clock;
        this.writer = new AttemptWriter(store, schedule, clock, claiming::wake);
    }

    public void start() {
        writer.start();
        placing.start();
        claiming.start();
    }

    /** There may be something to do: events were committed, or deliveries queued. */
    public void wake() {
        placing.wake();
        claiming.wake();
    }

    private boolean place() {
        var now = clock.instant();
        var first = schedule.next(0, null, ThreadLocalRandom.current()).orElseThrow();
        var more = feed.place(now, now.plus(first));
        if (more) {
            claiming.wake();
        }
        return more;
    }

    private boolean claim() {
        var room = free.availablePermits();
        if (room == 0) {
            return false;
        }
        var now = clock.instant();
        judge(now);
        var each = Math.clamp(room / SHARES, FEW, EACH); // Slow ones leave room to the others.
        var claims = store.claim(now, now.plus(LEASE), FEW, each, room);
        free.acquireUninterruptibly(claims.size());
        claims.forEach(claim -> attempts.execute(() -> attempt(claim)));
        return !claims.isEmpty();
    }

    private void judge(Instant now) {
        if (!now.isBefore(judged)) {
            judged = now.plus(BETWEEN_JUDGEMENTS);
            writer.judge();
            store.giveUp(now);
        }
    }

    private void attempt(Claim claim) {
        try {
            var at = clock.instant();
            writer.add(new AttemptWriter.Attempted(claim, at, send(claim, at)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // Its lease ends, and it is attempted again.
        } finally {
            free.release();
        }
    }

    private AttemptResult send(Claim claim, Instant at) throws InterruptedException {
        try {
            return sender.send(sender.address(claim.url()), headers(claim, at), claim.body());
        } catch (Problem e) { // Another setting than when it was stored.
            return new AttemptResult(null, "not sent: " + e.note(), Duration.ZERO, null);
        } catch (SecretsFailure e) {
            if (unopened.asMap().putIfAbsent(claim.target().endpoint(), true) == null) {
                LOG.error(
                        "nothing can be signed for the endpoint {}: {}; said once an hour",
                        claim.target().endpoint(),
                        e.getMessage());
            }
            return new AttemptResult(null, "not sent: its secret cannot be opened here", Duration.ZERO, null);
        } catch (RuntimeException e) { // A defect of ours, which would else be repeated for ever without a trace.
            LOG.error("the delivery {} could not be attempted", claim.id(), e);
            return new AttemptResult(
                    null, "not sent: the engine failed; its operator finds why in the log", Duration.ZERO, null);
        }
    }

    private List<Sender.Header> headers(Claim claim, Instant at) {
        var headers = new ArrayList<Sender.Header>();
        headers.add(new Sender.Header("X-Service-Sequence", Long.toString(claim.sequence())));
        Signature.headers(claim.event(), at, claim.body(), store.open(claim))
                .forEach((name, value) -> headers.add(new Sender.Header(name, value)));
        return headers;
    }

    /** Takes nothing more, waits for what is under way, and writes what came of it. */
    @Override
    public void close() {
        try {
            placing.close();
            claiming.close();
            if (!free.tryAcquire(IN_ALL, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                attempts.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        attempts.close();
        writer.close();
    }
}
