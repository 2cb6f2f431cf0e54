package io.agentworkspace.engine.memory.documents.queue;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.rules.DocumentRules;
import io.agentworkspace.engine.kernel.scheduling.WorkLoop;
import io.agentworkspace.engine.memory.documents.DocumentFileStore;
import io.agentworkspace.engine.memory.documents.extract.ExtractorProcess;
import io.agentworkspace.engine.memory.documents.queue.QueueStore.ClaimedDocument;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker of a replica. It claims documents from the queue, one at a time, and has each validated. It renews its
 * claim while it works; if the replica fails, the claim expires and another replica takes the document. The extraction
 * process runs while documents wait.
 */
final class ValidationQueue implements AutoCloseable {
    /**
     * Shorter than 30 s including the pause between two looks, so that a failed replica's document is soon claimed again.
     */
    static final Duration LEASE = Duration.ofSeconds(15);

    private static final Duration RENEWAL = Duration.ofSeconds(4);
    private static final Duration POLL = Duration.ofSeconds(1);

    /** Every event wakes the queue, and few events are about documents. */
    private static final Duration GAP = Duration.ofMillis(100);

    /** The number of files after which a process is replaced, so that leaks in parsers do not add up. */
    private static final int FILES = 200;

    private static final int REFUSALS = 20;

    /** The number of looks at an empty queue after which the process is ended. */
    private static final int IDLE = 10;

    private static final Logger LOG = LoggerFactory.getLogger(ValidationQueue.class);

    private final QueueStore store;
    private final Validator validator;
    private final Duration limit;
    /** How often the database refused the result of a document. */
    private final Map<UUID, Integer> refused =
            Caffeine.newBuilder().maximumSize(1_000).<UUID, Integer>build().asMap();

    private final Map<ClaimedDocument, Boolean> claims = new ConcurrentHashMap<>();
    private final WorkLoop loop = new WorkLoop(
            "documents are validated", Thread.ofPlatform().daemon().name("documents"), POLL, GAP, this::round);
    private final ScheduledThreadPoolExecutor heart = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("documents' leases").factory());
    private volatile @Nullable ExtractorProcess process;
    private volatile boolean closed;
    private int done;
    private int idle;

    /** @param limit the time limit for the extraction of one document */
    public ValidationQueue(
            QueueStore store, DocumentFileStore files, DocumentRules rules, Duration limit, Clock clock) {
        this.store = store;
        this.validator = new Validator(store, files, rules, clock);
        this.limit = limit;
    }

    public void start() {
        loop.start();
        heart.scheduleWithFixedDelay(this::renew, RENEWAL.toMillis(), RENEWAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Looks for work soon. */
    public void wake() {
        loop.wake();
    }

    private boolean round() {
        try {
            var claim = store.claim(LEASE);
            if (claim.isPresent()) {
                work(claim.get());
                refused.remove(claim.get().id());
                idle = 0;
            } else if (++idle == IDLE) {
                endProcess();
            }
            return claim.isPresent();
        } catch (Problem e) {
            throw e;
        } catch (RuntimeException e) {
            endProcess();
            throw e;
        }
    }

    private void work(ClaimedDocument claim) {
        claims.put(claim, true);
        try {
            if (claim.attempts() > Validator.ATTEMPTS) {
                validator.giveUp(claim, "ended with its worker");
            } else {
                validator.validate(claim, process(claim));
            }
        } catch (ExtractorProcess.Lost lost) {
            endProcess();
            lost(claim, lost);
        } catch (Problem unavailable) {
            // A busy database is not the fault of the document, unless it refuses this result again and again.
            if (refused.merge(claim.id(), 1, Integer::sum) <= REFUSALS) {
                store.release(claim);
            }
            throw unavailable;
        } finally {
            claims.remove(claim);
        }
    }

    /**
     * Returns the document to the queue, unless this was the last attempt. The attempt does not
     * count if the replica is stopping.
     */
    private void lost(ClaimedDocument claim, ExtractorProcess.Lost lost) {
        if (closed) {
            store.release(claim);
        } else if (claim.attempts() >= Validator.ATTEMPTS) {
            validator.giveUp(claim, String.valueOf(lost.getMessage()));
        } else {
            store.putBack(claim);
        }
    }

    private ExtractorProcess process(ClaimedDocument claim) {
        try {
            return process();
        } catch (RuntimeException e) { // Not the fault of the document.
            store.release(claim);
            throw e;
        }
    }

    private ExtractorProcess process() {
        var current = process;
        if (current != null && (!current.isAlive() || done >= FILES)) {
            endProcess();
            current = null;
        }
        if (current == null) {
            current = ExtractorProcess.start(limit);
            process = current;
            done = 0;
        }
        done++;
        return current;
    }

    private void endProcess() {
        var current = process;
        if (current != null) {
            process = null;
            current.close();
        }
    }

    /** Renews the claim. The work on a lost claim is cancelled. */
    private void renew() {
        for (var claim : Set.copyOf(claims.keySet())) {
            try {
                var current = process;
                if (!store.renew(claim, LEASE) && claims.containsKey(claim) && current != null) {
                    current.kill();
                }
            } catch (RuntimeException e) {
                LOG.debug("a lease could not be renewed", e);
            }
        }
    }

    /** Returns the id of the extraction process, if there is one. */
    public long pid() {
        var current = process;
        return current == null ? -1 : current.pid();
    }

    /** Claims nothing more, and releases the current document. */
    @Override
    public void close() {
        closed = true;
        heart.shutdownNow();
        var current = process;
        if (current != null) {
            current.kill();
        }
        try {
            loop.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        endProcess();
    }
}
