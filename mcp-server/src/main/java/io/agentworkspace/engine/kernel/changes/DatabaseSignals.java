package io.agentworkspace.engine.kernel.changes;

import io.agentworkspace.engine.kernel.db.NotificationChannel;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * Signals between replicas through the database, JSON objects on the channel of {@link CallerChanges}: the entries of the log of changes, when
 * they are committed, and others that concern a session whose requests reach different replicas.
 */
public final class DatabaseSignals implements AutoCloseable {
    /** Something about a session; the names contain its id. */
    public static final String SESSION = "session";

    /** PostgreSQL accepts less than 8,000 bytes. */
    public static final int MAX_BYTES = 7_900;

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseSignals.class);

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final CallerChanges watch;
    private final NotificationChannel.Receiver receiver = new NotificationChannel.Receiver() {
        @Override
        public void opened() {
            listeners.forEach(Listener::gap);
        }

        @Override
        public void received(String payload) {
            hear(payload);
        }

        @Override
        public void late() {
            listeners.forEach(Listener::late);
        }
    };

    /**
     * One signal.
     *
     * @param t tenant
     * @param k kind
     * @param n names, or other data of the kind
     * @param u the users concerned; null: everyone in the tenant
     */
    public record Signal(
            long t, String k, List<String> n, @Nullable List<Long> u) {}

    /** What one transaction added to the log of changes, in order. */
    private record Committed(long t, List<Entry> c) {
        /** An entry; its fields are those of a signal. */
        private record Entry(
                String k, List<String> n, @Nullable List<Long> u) {}
    }

    /** Receives signals. Implementations must return quickly, and run slow work elsewhere. */
    public interface Listener {
        void received(Signal signal);

        /** Reports that signals may have been missed. */
        void gap();

        /** Reports that signals may be missing at the moment. It is called again and again until they arrive. */
        default void late() {}
    }

    public DatabaseSignals(CallerChanges watch) {
        this.watch = watch;
        watch.addSignals(receiver);
    }

    public void onSignal(Listener listener) {
        listeners.add(listener);
    }

    private void hear(String text) {
        try {
            var message = Json.readObject(text.getBytes(StandardCharsets.UTF_8));
            if (message.has("c")) {
                var committed = Json.bind(message, Committed.class);
                committed.c().forEach(change -> receive(new Signal(committed.t(), change.k(), change.n(), change.u())));
            } else {
                receive(Json.bind(message, Signal.class));
            }
        } catch (JacksonException | Problem e) {
            LOG.warn("not a valid signal: {}", Excerpt.of(text, 100));
        }
    }

    private void receive(Signal signal) {
        for (var listener : listeners) {
            try {
                listener.received(signal);
            } catch (RuntimeException e) {
                LOG.warn("a listener failed at a signal, and reads again", e);
                listener.gap();
            }
        }
    }

    @Override
    public void close() {
        watch.removeSignals(receiver);
    }
}
