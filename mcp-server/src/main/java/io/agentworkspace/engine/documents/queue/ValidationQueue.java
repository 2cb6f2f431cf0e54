package io.agentworkspace.engine.documents.queue;

import io.agentworkspace.engine.documents.DocumentFileStore;
import io.agentworkspace.engine.documents.extract.ExtractorProcess;
import io.agentworkspace.engine.documents.queue.QueueStore.Claim;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.rules.DocumentRules;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker of a replica: takes documents from the queue, one at a time, and has each validated. It keeps its claim while it works;
 * if the replica dies, the claim ends by itself, and another replica takes the document. The process that extracts text lives as long as
 * documents wait.
 */
public final class ValidationQueue implements AutoCloseable {
    /** Shorter than 30 s with the pause between two looks: then a document of a dead replica is taken again. */
    static final Duration LEASE = Duration.ofSeconds(15);

    private static final Duration RENEWAL = Duration.ofSeconds(4);
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** A process that has done so many is replaced: what leaks in a parser does not add up. */
    private static final int FILES = 200;

    /** After so many looks at an empty queue the process is ended. */
    private static final int IDLE = 10;

    private static final Logger LOG = LoggerFactory.getLogger(ValidationQueue.class);

    private final QueueStore store;
    private final Validator validator;
    private final Duration limit;
    private final Semaphore wake = new Semaphore(0);
    private final Map<Claim, Boolean> held = new ConcurrentHashMap<>();
    private final Thread thread = Thread.ofPlatform().daemon().name("documents").unstarted(this::run);
    private final ScheduledThreadPoolExecutor heart = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("documents' leases").factory());
    private volatile @Nullable ExtractorProcess process;
    private volatile boolean closed;
    private int done;
    private int idle;

    /** @param limit how long the extraction of one document may take */
    public ValidationQueue(
            QueueStore store, DocumentFileStore files, DocumentRules rules, Duration limit, Clock clock) {
        this.store = store;
        this.validator = new Validator(store, files, rules, clock);
        this.limit = limit;
    }

    public void start() {
        thread.start();
        heart.scheduleWithFixedDelay(this::renew, RENEWAL.toMillis(), RENEWAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** There may be something to do. */
    public void wake() {
        if (wake.availablePermits() == 0) {
            wake.release();
        }
    }

    private void run() {
        while (!closed) {
            try {
                var claim = store.claim(LEASE);
                if (claim.isPresent()) {
                    work(claim.get());
                    idle = 0;
                } else {
                    if (++idle == IDLE) {
                        endProcess();
                    }
                    rest();
                }
            } catch (Problem e) {
                LOG.debug("documents are validated later: {}", e.note());
                rest();
            } catch (RuntimeException e) {
                LOG.warn("a document could not be validated; it is tried again", e);
                endProcess();
                rest();
            }
        }
    }

    private void work(Claim claim) {
        held.put(claim, true);
        try {
            if (claim.attempts() > Validator.ATTEMPTS) {
                validator.giveUp(claim);
            } else {
                validator.validate(claim, process(claim));
            }
        } catch (ExtractorProcess.Lost lost) {
            endProcess();
            lost(claim);
        } finally {
            held.remove(claim);
        }
    }

    /** Back into the queue; not again if it was the last time, and without counting if it is this replica that ends. */
    private void lost(Claim claim) {
        if (closed) {
            store.release(claim);
        } else if (claim.attempts() >= Validator.ATTEMPTS) {
            validator.giveUp(claim);
        } else {
            store.putBack(claim);
        }
    }

    private ExtractorProcess process(Claim claim) {
        try {
            return process();
        } catch (RuntimeException e) { // No document is to suffer from an engine that cannot start processes.
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

    /** What is held is renewed; what is no longer held need not be finished. */
    private void renew() {
        for (var claim : Set.copyOf(held.keySet())) {
            try {
                var current = process;
                if (!store.renew(claim, LEASE) && held.containsKey(claim) && current != null) {
                    current.kill();
                }
            } catch (RuntimeException e) {
                LOG.debug("a lease could not be renewed", e);
            }
        }
    }

    private void rest() {
        try {
            if (wake.tryAcquire(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
                wake.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The number of the process that extracts text, if there is one. */
    public long pid() {
        var current = process;
        return current == null ? -1 : current.pid();
    }

    /** Takes nothing more, and gives back what it works at. */
    @Override
    public void close() {
        closed = true;
        wake();
        heart.shutdownNow();
        var current = process;
        if (current != null) {
            current.kill();
        }
        try {
            thread.join(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        endProcess();
    }
}
