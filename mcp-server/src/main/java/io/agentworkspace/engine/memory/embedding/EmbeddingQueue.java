package io.agentworkspace.engine.memory.embedding;

import io.agentworkspace.engine.kernel.scheduling.PeriodicTask;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.kernel.scheduling.WorkLoop;
import io.agentworkspace.engine.memory.embedding.EmbeddingStore.Lag;
import io.agentworkspace.engine.memory.embedding.EmbeddingStore.Waiting;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Embeds what waits for vectors. Tenants take turns, so a tenant that stores much does not make the others wait. Each replica
 * takes some under a lease; if it dies, the lease expires, and another replica takes them.
 */
public final class EmbeddingQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddingQueue.class);
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofMillis(30);
    private static final int PORTION = 16;
    private static final int OUTDATED = 500;
    private static final int ATTEMPTS = 5;

    private final EmbeddingStore store;
    private final Embedder embedder;
    private final WorkLoop loop = new WorkLoop(
            "memories get their vectors", Thread.ofPlatform().daemon().name("embeddings"), POLL, this::round);
    private final PeriodicTask claiming = new PeriodicTask("memories without vectors are claimed");
    private volatile boolean isClosed;
    private volatile boolean isStoring;
    private boolean isWarm;

    /** The tenant whose turn was last; only the thread uses it. Behind the last tenant the first is next. */
    private long last;

    public EmbeddingQueue(EmbeddingStore store, Embedder embedder) {
        this.store = store;
        this.embedder = embedder;
    }

    public void start() {
        if (embedder.isPossible()) {
            loop.start();
        }
    }

    /** A memory is being stored that will wait for vectors. */
    public void wake() {
        isStoring = true;
        loop.wake();
    }

    /** What waits for vectors now, in all replicas. */
    public Lag lag() {
        return store.lag();
    }

    private boolean round() {
        if (!isWarm) {
            isWarm = true;
            warm();
        }
        if (isStoring) {
            isStoring = false;
            pause(SOON); // Its transaction ends meanwhile.
        }
        if (!embedder.isOn()) {
            return false;
        }
        var begins = last == 0;
        var tenants = store.next(PORTION, last);
        last = tenants.size() < PORTION ? 0 : tenants.getLast();
        return embed(tenants) || !begins || store.renew(embedder.id(), OUTDATED);
    }

    /** An engine that has just started, or was idle, is ready for the first store. */
    private void warm() {
        try {
            embedder.warm();
        } catch (RuntimeException e) {
            LOG.warn("could not load the model of embeddings; trying again", e);
        }
    }

    /** Claims memories of these tenants, and embeds them; whether there were any. Each tenant has the same share of the portion. */
    private boolean embed(List<Long> tenants) {
        var shares = new ArrayList<List<Waiting>>();
        claiming.attempt(() -> TenantTurns.take(tenants, tenant -> {
            shares.add(store.claim(tenant, PORTION / tenants.size(), LEASE));
            return false;
        }));
        embedAll(inTurns(shares));
        return shares.stream().anyMatch(share -> !share.isEmpty());
    }

    /** Returns one of each share, then a second one of each, and so on. */
    static List<Waiting> inTurns(List<List<Waiting>> shares) {
        return IntStream.range(0, PORTION)
                .boxed()
                .flatMap(turn ->
                        shares.stream().filter(share -> turn < share.size()).map(share -> share.get(turn)))
                .toList();
    }

    /** Embeds them in order. If it stops early, it gives back the rest, so that nobody waits for the lease to expire. */
    private void embedAll(List<Waiting> claimed) {
        var done = 0;
        try {
            while (done < claimed.size() && !isClosed && embedder.isOn()) {
                embed(claimed.get(done));
                done++;
            }
        } finally {
            if (done < claimed.size()) {
                Thread.interrupted(); // By close(); the database refuses an interrupted thread.
                store.release(claimed.subList(done, claimed.size()));
            }
        }
    }

    private void embed(Waiting memory) {
        var began = System.nanoTime();
        try {
            store.keep(memory, embedder.id(), embedder.passages(memory.text()));
        } catch (Problem e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.warn("could not compute the vector of a memory", e);
            if (memory.attempts() >= ATTEMPTS && embedder.isOn()) {
                store.keep(memory, embedder.id(), new byte[0]);
            }
        }
        pause(embedder.rest(Duration.ofNanos(System.nanoTime() - began), store.areCallsRunning()));
    }

    private void pause(Duration time) {
        if (time.isPositive() && !isClosed) {
            try {
                Thread.sleep(time);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        isClosed = true;
        loop.interrupt();
    }
}
