package io.agentworkspace.engine.integrations.webhooks.outbox;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore.ClaimedDelivery;
import io.agentworkspace.engine.integrations.webhooks.sender.AttemptResult;
import io.agentworkspace.engine.integrations.webhooks.sender.Sender;
import io.agentworkspace.engine.integrations.webhooks.sender.Signature;
import io.agentworkspace.engine.kernel.scheduling.PeriodicTask;
import io.agentworkspace.engine.kernel.scheduling.WorkLoop;
import io.agentworkspace.engine.kernel.scheduling.Worker;
import io.agentworkspace.engine.kernel.secrets.SecretsFailure;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers events to the receivers that subscribe to them. Every replica runs one: it numbers committed events in the
 * feed, claims due deliveries, attempts each on a virtual thread, and has the {@link AttemptWriter} write the results.
 */
public final class Outbox implements Worker.Queue<ClaimedDelivery>, AutoCloseable {
    /** The maximum number of concurrent deliveries to one receiver. There are fewer when the replica has little room. */
    public static final int EACH = 32;

    /** The number of concurrent deliveries to one receiver that is allowed while there is any room. */
    private static final int FEW = 2;

    private static final int SHARES = 4;

    /** The maximum number of concurrent deliveries on one replica. */
    static final int IN_ALL = 256;

    /** Longer than an attempt and the write of its result can take. */
    static final Duration LEASE = Duration.ofSeconds(20);

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    private static final Duration BETWEEN_JUDGEMENTS = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(500);

    /** Each message is an event: a round for each would cost more than the message. */
    private static final Duration GAP = Duration.ofMillis(100);

    private final FeedStore feed;
    private final OutboxStore store;
    private final Sender sender;
    private final RetrySchedule schedule;
    private final AttemptWriter writer;
    private final Clock clock;
    private final WorkLoop placing =
            new WorkLoop("events are placed", Thread.ofVirtual().name("outbox: events"), PAUSE, GAP, this::place);
    private final Worker<ClaimedDelivery> worker = new Worker<>(
            "deliveries are attempted",
            Thread.ofVirtual().name("outbox: deliveries"),
            new Worker.Pace(IN_ALL, PAUSE, Duration.ZERO),
            this);
    private final Cache<UUID, Boolean> unopened = Caffeine.newBuilder()
            .maximumSize(10_000)
            .expireAfterWrite(Duration.ofHours(1))
            .build();
    private final LongAdder succeeded = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final PeriodicTask judging = new PeriodicTask("receivers that fail are judged");
    private final PeriodicTask ending = new PeriodicTask("deliveries to deleted receivers are given up");
    private Instant judged = Instant.MIN;

    public Outbox(FeedStore feed, OutboxStore store, Sender sender, RetrySchedule schedule, Clock clock) {
        this.feed = feed;
        this.store = store;
        this.sender = sender;
        this.schedule = schedule;
        this.clock = clock;
        this.writer = new AttemptWriter(store, schedule, clock, worker::wake);
    }

    public void start() {
        writer.start();
        placing.start();
        worker.start();
    }

    /** Events were committed: places them now, and claims their deliveries then. */
    public void wake() {
        placing.wake();
    }

    /** How many attempts are under way. */
    public int underWay() {
        return worker.running().size();
    }

    /** How many attempts have succeeded since the start. */
    public long succeeded() {
        return succeeded.sum();
    }

    /** How many attempts have failed since the start. */
    public long failed() {
        return failed.sum();
    }

    private boolean place() {
        var now = clock.instant();
        var first = schedule.next(0, null, ThreadLocalRandom.current()).orElseThrow();
        var more = feed.place(now, now.plus(first));
        worker.wake(); // Events for one receiver alone have their delivery already.
        return more;
    }

    @Override
    public List<ClaimedDelivery> claim(int room) {
        var now = clock.instant();
        judge(now);
        var each = Math.clamp(room / SHARES, FEW, EACH); // Leaves room beside slow receivers.
        return store.claim(now, now.plus(LEASE), FEW, each, room);
    }

    private void judge(Instant now) {
        if (!now.isBefore(judged)) {
            judged = now.plus(BETWEEN_JUDGEMENTS);
            judging.attempt(writer::judge);
            ending.attempt(() -> store.giveUp(now));
        }
    }

    /** Returns false: what was attempted makes room when its result is written, which wakes the worker. */
    @Override
    public boolean work(ClaimedDelivery claim) {
        try {
            var at = clock.instant();
            var result = send(claim, at);
            (result.delivered() ? succeeded : failed).increment();
            writer.add(new AttemptWriter.Attempted(claim, at, result));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // Attempted again when the lease expires.
        }
        return false;
    }

    private AttemptResult send(ClaimedDelivery claim, Instant at) throws InterruptedException {
        try {
            var url = sender.address(claim.url());
            return claim.isPush() ? push(claim, url) : sender.send(url, headers(claim, at), claim.body());
        } catch (Problem e) { // The settings have changed since.
            return AttemptResult.notSent(e.note());
        } catch (SecretsFailure e) {
            if (unopened.asMap().putIfAbsent(claim.target().receiver(), true) == null) {
                LOG.error(
                        "cannot sign deliveries for the endpoint {}: {} (logged once an hour)",
                        claim.target().receiver(),
                        e.getMessage());
            }
            return AttemptResult.notSent("the engine cannot decrypt its secret");
        } catch (RuntimeException e) { // A defect must be logged and not retried forever.
            LOG.error("the delivery {} could not be attempted", claim.id(), e);
            return AttemptResult.notSent("the engine failed; the reason is in its log");
        }
    }

    /** A push notification is not signed: its headers show whose it is. */
    private AttemptResult push(ClaimedDelivery claim, URI url) throws InterruptedException {
        var sealed = Json.readObject(store.open(claim).getFirst().getBytes(StandardCharsets.UTF_8));
        var type = sealed.remove("Content-Type").asString();
        var headers = sealed.properties().stream()
                .map(header ->
                        new Sender.Header(header.getKey(), header.getValue().asString()))
                .toList();
        return sender.send(url, headers, type, claim.body());
    }

    private List<Sender.Header> headers(ClaimedDelivery claim, Instant at) {
        var headers = new ArrayList<Sender.Header>();
        headers.add(new Sender.Header("X-Service-Sequence", Long.toString(claim.sequence())));
        Signature.headers(claim.event(), at, claim.body(), store.open(claim))
                .forEach((name, value) -> headers.add(new Sender.Header(name, value)));
        return headers;
    }

    /** Claims nothing more, waits for the running attempts, and writes their results. */
    @Override
    public void close() {
        placing.close();
        worker.close();
        writer.close();
    }
}
