package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The streams of callers who see the same data. However many changes are signalled, one read at a time serves all of
 * them.
 */
final class LiveAudience {
    /** The pause between two reads, in which signals are collected. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final LiveView audience;
    private final LiveQueries queries;
    private final Ticker ticker;
    private final Set<LiveStream> streams = ConcurrentHashMap.newKeySet();
    private final ReentrantLock reading = new ReentrantLock();
    private long since;
    private boolean due;
    private boolean scheduled;

    LiveAudience(LiveView audience, LiveQueries queries, Ticker ticker, long since) {
        this.audience = audience;
        this.queries = queries;
        this.ticker = ticker;
        this.since = since;
    }

    Set<LiveStream> streams() {
        return streams;
    }

    /** Signals a change in the tenant. */
    synchronized void wake() {
        due = true;
        if (!scheduled) {
            scheduled = true;
            Thread.startVirtualThread(this::run);
        }
    }

    private void run() {
        synchronized (this) {
            due = false;
        }
        try {
            read();
        } catch (Problem unavailable) {
            // The next signal or keep-alive tries again from the same position.
        } finally {
            ticker.after(PAUSE, this::again);
        }
    }

    private void again() {
        boolean again;
        synchronized (this) {
            again = due;
            scheduled = again;
        }
        if (again) {
            run();
        }
    }

    private void read() {
        reading.lock();
        try {
            var batch = queries.read(audience, since);
            since = batch.horizon();
            streams.stream().filter(LiveStream::hasCaughtUp).forEach(stream -> stream.send(batch));
        } finally {
            reading.unlock();
        }
    }

    /**
     * Sends one stream the events that it has missed, and then those that the other streams get. Before, it gets none: a
     * client that resumed after a newer event would never get the older ones.
     */
    void catchUp(LiveStream stream, long from) {
        reading.lock();
        var isRead = false;
        try {
            stream.send(queries.read(audience, from));
            isRead = true;
        } catch (Problem unavailable) {
            // Its client reads everything again.
        } finally {
            if (!isRead) {
                stream.reset();
            }
            stream.caughtUp();
            reading.unlock();
        }
    }
}
