package io.agentworkspace.engine.memory.documents.queue;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.identity.rules.DocumentRules;
import io.agentworkspace.engine.kernel.scheduling.Worker;
import io.agentworkspace.engine.memory.documents.DocumentFileStore;
import io.agentworkspace.engine.memory.documents.extract.process.ExtractorProcess;
import io.agentworkspace.engine.memory.documents.queue.QueueStore.ClaimedDocument;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a replica: its worker takes documents, one at a time, and has each validated. The extraction process runs
 * while documents wait.
 */
final class ValidationQueue implements Worker.Queue<ClaimedDocument>, AutoCloseable {
    /**
     * Shorter than 30 s including the pause between two looks, so that a failed replica's document is soon claimed again.
     */
    static final Duration LEASE = Duration.ofSeconds(15);

    private static final Duration POLL = Duration.ofSeconds(1);

    /** Every event wakes the queue, and few events are about documents. */
    private static final Duration GAP = Duration.ofMillis(100);

    /** The number of files after which a process is replaced, so that leaks in parsers do not add up. */
    private static final int FILES = 200;

    private static final int REFUSALS = 20;

    /** The number of looks at an empty queue after which the process is ended. */
    private static final int IDLE = 10;

    private final QueueStore store;
    private final Validator validator;
    private final Duration limit;
    /** How often the database refused the result of a document. */
    private final Map<UUID, Integer> refused =
            Caffeine.newBuilder().maximumSize(1_000).<UUID, Integer>build().asMap();

    private final Worker<ClaimedDocument> worker = new Worker<>(
            "documents are validated",
            Thread.ofPlatform().daemon().name("documents"),
            new Worker.Pace(1, POLL, GAP),
            this);
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
        worker.start();
    }

    /** Looks for work soon. */
    public void wake() {
        worker.wake();
    }

    @Override
    public List<ClaimedDocument> claim(int most) {
        var claims = store.claim(LEASE);
        if (!claims.isEmpty()) {
            idle = 0;
        } else if (++idle == IDLE) {
            endProcess();
        }
        return claims;
    }

    @Override
    public boolean work(ClaimedDocument claim) {
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
                store.release(claim, false);
            }
            throw unavailable;
        } catch (RuntimeException e) {
            endProcess();
            throw e;
        }
        refused.remove(claim.id());
        return true;
    }

    /**
     * Returns the document to the queue, unless this was the last attempt. The attempt does not
     * count if the replica is stopping.
     */
    private void lost(ClaimedDocument claim, ExtractorProcess.Lost lost) {
        if (claim.attempts() >= Validator.ATTEMPTS && !closed) {
            validator.giveUp(claim, String.valueOf(lost.getMessage()));
        } else {
            store.release(claim, !closed);
        }
    }

    private ExtractorProcess process(ClaimedDocument claim) {
        try {
            return process();
        } catch (RuntimeException e) { // Not the fault of the document.
            store.release(claim, false);
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

    @Override
    public boolean renew(ClaimedDocument claim) {
        return store.renew(claim, LEASE);
    }

    @Override
    public void stop(ClaimedDocument claim) {
        var current = process;
        if (current != null) {
            current.kill();
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
        worker.close();
        endProcess();
    }
}
