package io.agentworkspace.engine.kernel.streams;

import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be written to a stream, and its only writer: a thread that exists while something waits. The queue is bounded,
 * and the stream of a client that does not read is ended.
 */
public final class EventQueue {
    /** The most lines that wait. */
    public static final int MOST = 1_000;

    private final EventStream stream;
    private final StreamLimits.Places places;
    private final int lineBytes;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final LinkedHashSet<Line> lines = new LinkedHashSet<>();
    private @Nullable Line first;
    private Line last = EventStream::finish;
    private int counted;
    private boolean isWriting;
    private boolean isEnding;
    private boolean isDone;

    /** Something to write. Of equal lines that wait, one is written. */
    @FunctionalInterface
    public interface Line {
        void sendTo(EventStream stream) throws IOException;
    }

    /**
     * @param places are taken; they are given back when the stream has ended
     * @param lineBytes the memory of a line that waits, which is counted, too
     */
    public EventQueue(EventStream stream, StreamLimits.Places places, int lineBytes) {
        this.stream = stream;
        this.places = places;
        this.lineBytes = lineBytes;
    }

    /** Writes the first line, before all others. */
    public synchronized void begin(Line line) {
        first = line;
        write();
    }

    /** Adds a line. A client that is too far behind must connect again: its stream ends. */
    public synchronized void add(Line line) {
        if (!tryAdd(line)) {
            end();
        }
    }

    /** Adds a line. If too many wait, all but the first of the stream give way to another. */
    public synchronized void add(Line line, Line behind) {
        if (!tryAdd(line)) {
            replace(behind);
        }
    }

    /** Adds a line, to which all that wait give way but the first of the stream. */
    public synchronized void replace(Line line) {
        if (!isEnding) {
            lines.clear();
            lines.add(line);
            hasRoom(1);
            write();
        }
    }

    /** Adds a sign of life if nothing waits. */
    public synchronized void keepAlive(Line sign) {
        if (lines.isEmpty()) {
            add(sign);
        }
    }

    /** Ends the stream. Lines that wait are dropped. */
    public synchronized void end() {
        lines.clear();
        endAfter(EventStream::finish);
    }

    /** Ends the stream after the lines that wait, with a line that finishes it. */
    public synchronized void endAfter(Line line) {
        last = line;
        isEnding = true;
        write();
    }

    public synchronized boolean isEnding() {
        return isEnding;
    }

    /** Completes when the stream has ended. */
    public CompletableFuture<Void> ended() {
        return ended;
    }

    private boolean tryAdd(Line line) {
        if (isEnding || lines.contains(line)) {
            return true;
        } else if (!hasRoom(lines.size() + 1)) {
            return false;
        }
        lines.add(line);
        write();
        return true;
    }

    /** Takes or returns memory, for so many lines. */
    private boolean hasRoom(int size) {
        if (size > MOST) {
            return false;
        }
        try {
            places.grow(lineBytes * (long) (size - counted));
        } catch (Problem noMemory) {
            return false;
        }
        counted = size;
        return true;
    }

    private void write() {
        if (!isWriting && !isDone) {
            isWriting = true;
            Thread.startVirtualThread(this::drain);
        }
    }

    private void drain() {
        try {
            for (var line = next(); line != null; line = next()) {
                line.sendTo(stream);
            }
        } catch (IOException | RuntimeException e) {
            finish(() -> stream.cut(e));
        }
    }

    private @Nullable Line next() throws IOException {
        synchronized (this) {
            var next = first;
            if (next != null) {
                first = null;
                return next;
            } else if (!lines.isEmpty()) {
                hasRoom(lines.size() - 1);
                return lines.removeFirst();
            } else if (!isEnding) {
                isWriting = false;
                return null;
            }
        }
        last.sendTo(stream); // Only this thread writes now: `isWriting` stays true.
        finish(() -> {});
        return null;
    }

    private void finish(Runnable cut) {
        synchronized (this) {
            isEnding = true;
            isDone = true;
            lines.clear();
        }
        cut.run();
        places.giveBack();
        ended.complete(null);
    }
}
