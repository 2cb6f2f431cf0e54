package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.workspace.delivery.hooks.HookSession.SessionKey;
import io.agentworkspace.engine.workspace.delivery.hooks.HookStore.Announcement;
import io.agentworkspace.engine.workspace.delivery.hooks.HookStore.Listener;
import io.agentworkspace.engine.workspace.delivery.wait.WakeStore.OpenWake;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open stream of wake-ups for one session. Messages that arrive together are one wake-up, and the next one is sent
 * {@link #PAUSE} later, if messages still wait then that the session has not heard of.
 */
final class MessageStream {
    /** How long after a message others are waited for. */
    static final Duration GATHERING = Duration.ofMillis(400);

    static final Duration PAUSE = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(MessageStream.class);

    private final HookSession session;
    private final Listener listener;
    private final HookStore store;
    private final EventStream stream;
    private final Ticker ticker;
    private final BooleanSupplier valid;
    private final Supplier<OpenWake> wakes;
    private final Runnable closed;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Deque<Line> lines = new ArrayDeque<>();
    private Positions seen = Positions.NONE;
    private boolean isScheduled;
    private boolean isDue;
    private boolean isWriting;
    private boolean isEnding;
    private boolean isDone;
    private volatile boolean hasWoken;
    private @Nullable OpenWake registration;

    /** A line of the stream: a wake-up, the number of the last one when the stream begins, or a sign of life. */
    private interface Line {
        void sendTo(EventStream stream) throws IOException;
    }

    MessageStream(
            HookSession session,
            Listener listener,
            HookStore store,
            EventStream stream,
            Ticker ticker,
            BooleanSupplier valid,
            Supplier<OpenWake> wakes,
            Runnable closed) {
        this.session = session;
        this.listener = listener;
        this.store = store;
        this.stream = stream;
        this.ticker = ticker;
        this.valid = valid;
        this.wakes = wakes;
        this.closed = closed;
    }

    HookSession session() {
        return session;
    }

    /** Takes back the wake-ups that its listener has not confirmed, if no other stream of the session has followed. */
    void takeBack() {
        if (hasWoken) {
            ScopedValue.where(RequestContext.CURRENT_CALLER, session.caller())
                    .run(() -> store.abandoned(session, listener.number()));
        }
    }

    /** Returns whether both are of one session, and this one is the newer. */
    boolean isAfter(MessageStream other) {
        return session.key().equals(other.session.key())
                && session.caller().tenant() == other.session.caller().tenant()
                && listener.number() > other.listener.number();
    }

    /** Ends the stream if its session has a newer listener. If the session's client has turned out to be connected, senders learn of it. */
    void compare(Map<SessionKey, Listener> newest) {
        var present = newest.get(session.key());
        if (present == null || present.number() != listener.number()) {
            end();
        } else if (present.isConnected()) {
            register();
        }
    }

    /** Lets senders know that the session is woken. */
    void register() {
        synchronized (this) {
            if (registration != null || isDone) {
                return;
            }
        }
        var opened = wakes.get();
        synchronized (this) {
            if (registration == null && !isDone) {
                registration = opened;
                return;
            }
        }
        opened.close();
    }

    BooleanSupplier validity() {
        return valid;
    }

    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Reports up to where messages wait for the agent. If this is news, the session is woken. */
    synchronized void waiting(Positions positions) {
        if (positions.isAfter(seen)) {
            isDue = true;
            schedule(GATHERING);
        }
        seen = positions;
    }

    private void schedule(Duration delay) {
        if (!isScheduled && !isEnding) {
            isScheduled = true;
            ticker.after(delay, this::wake);
        }
    }

    private void wake() {
        synchronized (this) {
            if (isEnding) {
                return;
            }
            isDue = false;
        }
        var announcement = announcement();
        synchronized (this) {
            if (announcement != null) {
                hasWoken = true;
                add(stream -> stream.send(
                        Long.toString(announcement.line()), announcement.news().line()));
            }
            isScheduled = false;
            if (announcement != null || isDue) {
                isScheduled = true;
                ticker.after(PAUSE, this::again);
            }
        }
    }

    private void again() {
        synchronized (this) {
            isScheduled = false;
            if (isDue) {
                schedule(Duration.ZERO);
            }
        }
    }

    private @Nullable Announcement announcement() {
        if (!valid.getAsBoolean()) {
            end();
            return null;
        }
        try {
            var waking = ScopedValue.where(RequestContext.CURRENT_CALLER, session.caller())
                    .call(() -> store.wake(session, listener.number()));
            if (waking.isReplaced()) {
                end();
            }
            if (waking.isLater()) {
                synchronized (this) {
                    isDue = true;
                }
            }
            return waking.announcement();
        } catch (RuntimeException e) { // Whatever it is, the messages still wait.
            LOG.warn("a wake-up is tried again: {}", e.toString());
            synchronized (this) {
                isDue = true;
            }
            return null;
        }
    }

    /** Sends the number of the last wake-up, from which the listener resumes even if it gets no other. */
    void begin() {
        add(stream -> stream.mark(Long.toString(listener.line())));
    }

    synchronized void keepAlive() {
        if (lines.isEmpty()) {
            add(EventStream::keepAlive);
        }
    }

    synchronized void end() {
        lines.clear();
        isEnding = true;
        write();
    }

    private synchronized void add(Line line) {
        if (!isEnding && !isDone) {
            lines.add(line);
            write();
        }
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
            var next = lines.poll();
            if (next != null || !isEnding) {
                isWriting = next != null;
                return next;
            }
        }
        stream.finish();
        finish(() -> {});
        return null;
    }

    private void finish(Runnable last) {
        synchronized (this) {
            if (isDone) {
                return;
            }
            isDone = true;
            isEnding = true;
            lines.clear();
        }
        last.run();
        try {
            closed.run();
            var opened = registration; // It does not change any more.
            if (opened != null) {
                Thread.startVirtualThread(opened::close);
            }
        } finally {
            ended.complete(null);
        }
    }
}
