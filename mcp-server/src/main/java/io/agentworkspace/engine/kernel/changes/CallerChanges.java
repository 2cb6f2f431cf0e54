package io.agentworkspace.engine.kernel.changes;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.NotificationChannel;
import io.agentworkspace.engine.kernel.db.NotificationChannels;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Listens for changes of keys and users, and passes on the {@link DatabaseSignals}, which come on the same connection. Cached callers may be used as long as the last heartbeat that arrived was
 * sent less than a second ago. So a revoked key stops working on every replica within that time, even if this replica is
 * cut off.
 */
public final class CallerChanges implements AutoCloseable {
    private static final Duration BEAT = Duration.ofMillis(200);
    private static final Duration VOUCHED = Duration.ofMillis(900);

    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> openers = new CopyOnWriteArrayList<>();
    private final List<NotificationChannel.Receiver> signals = new CopyOnWriteArrayList<>();
    private final NotificationChannels channels;
    private volatile long lastBeat = System.nanoTime() - VOUCHED.toNanos();

    public CallerChanges(Db db) {
        channels = db.channels("changes", BEAT, new NotificationChannel.Receiver() {
            @Override
            public void opened() {
                openers.forEach(Runnable::run);
                changed(""); // Changes in the meantime were missed.
                signals.forEach(NotificationChannel.Receiver::opened);
            }

            @Override
            public void received(String payload) {
                if (payload.startsWith("{")) {
                    signals.forEach(receiver -> receiver.received(payload));
                } else {
                    changed(payload);
                }
            }

            @Override
            public void late() {
                signals.forEach(NotificationChannel.Receiver::late);
            }

            @Override
            public void current(long since) {
                lastBeat = since;
            }
        });
        channels.open();
    }

    /**
     * Waits until changes arrive.
     *
     * @throws io.agentworkspace.engine.kernel.db.DatabaseFailure if they do not, as behind a pooler of transactions
     */
    public void awaitFirst() {
        channels.awaitFirst();
    }

    /**
     * @param forget receives the id of a new key, {@code session:} and the id of one that has ended,
     *     {@code rules:} and a tenant whose rules changed, or an empty text, which may mean any change
     */
    public void onChange(Consumer<String> forget) {
        listeners.add(forget);
    }

    /** @param forget runs when the connection opens, since earlier changes may have been missed */
    public void onOpened(Runnable forget) {
        openers.add(forget);
    }

    void addSignals(NotificationChannel.Receiver receiver) {
        signals.add(receiver);
    }

    void removeSignals(NotificationChannel.Receiver receiver) {
        signals.remove(receiver);
    }

    private void changed(String id) {
        listeners.forEach(listener -> listener.accept(id));
    }

    /** Returns whether every change of more than a second ago was received. */
    public boolean isCurrent() {
        return System.nanoTime() - lastBeat < VOUCHED.toNanos();
    }

    @Override
    public void close() {
        channels.close();
    }
}
