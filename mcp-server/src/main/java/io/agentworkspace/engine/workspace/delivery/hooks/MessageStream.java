package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.streams.EventQueue;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.workspace.delivery.hooks.HookSession.SessionKey;
import io.agentworkspace.engine.workspace.delivery.hooks.HookStore.Announcement;
import io.agentworkspace.engine.workspace.delivery.hooks.HookStore.Listener;
import io.agentworkspace.engine.workspace.delivery.wait.WakeStore.OpenWake;
import java.time.Duration;
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
final class MessageStream implements Hub.Subscriber {
    /** How long after a message others are waited for. */
    static final Duration GATHERING = Duration.ofMillis(400);

    static final Duration PAUSE = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(MessageStream.class);

    private final HookSession session;
    private final Listener listener;
    private final HookStore store;
    private final EventQueue queue;
    private final Ticker ticker;
    private final BooleanSupplier valid;
    private final Supplier<OpenWake> wakes;
    private Positions seen = Positions.NONE;
    private boolean isScheduled;
    private boolean isDue;
    private volatile boolean hasWoken;
    private @Nullable OpenWake registration;

    MessageStream(
            HookSession session,
            Listener listener,
            HookStore store,
            EventQueue queue,
            Ticker ticker,
            BooleanSupplier valid,
            Supplier<OpenWake> wakes) {
        this.session = session;
        this.listener = listener;
        this.store = store;
        this.queue = queue;
        this.ticker = ticker;
        this.valid = valid;
        this.wakes = wakes;
        queue.ended().thenRun(this::unregister);
    }

    SessionKey sessionKey() {
        return session.key();
    }

    long agent() {
        return session.agent();
    }

    @Override
    public long tenant() {
        return session.caller().tenant();
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
                && tenant() == other.tenant()
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
            if (registration != null || queue.ended().isDone()) {
                return;
            }
        }
        var opened = wakes.get();
        synchronized (this) {
            if (registration == null && !queue.ended().isDone()) {
                registration = opened;
                return;
            }
        }
        opened.close();
    }

    private synchronized void unregister() {
        var opened = registration;
        if (opened != null) {
            Thread.startVirtualThread(opened::close);
        }
    }

    @Override
    public BooleanSupplier validity() {
        return valid;
    }

    @Override
    public CompletableFuture<Void> ended() {
        return queue.ended();
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
        if (!isScheduled && !queue.isEnding()) {
            isScheduled = true;
            ticker.after(delay, this::wake);
        }
    }

    private void wake() {
        synchronized (this) {
            if (queue.isEnding()) {
                return;
            }
            isDue = false;
        }
        var announcement = announcement();
        synchronized (this) {
            if (announcement != null) {
                hasWoken = true;
                queue.add(stream -> stream.send(
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
        queue.begin(stream -> stream.mark(Long.toString(listener.line())));
    }

    @Override
    public void keepAlive() {
        queue.keepAlive(EventStream::keepAlive);
    }

    @Override
    public void end() {
        queue.end();
    }
}
