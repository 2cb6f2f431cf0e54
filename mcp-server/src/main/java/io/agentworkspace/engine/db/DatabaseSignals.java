package io.agentworkspace.engine.db;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * What the replicas tell each other through the database: that something changed (told by triggers when the change is
 * committed), and what concerns a session whose requests reach different replicas. Heard on a connection of its own.
 */
public final class DatabaseSignals implements AutoCloseable {
    /** What was said about a session changed; names: its id. */
    public static final String SESSION = "session";

    /** PostgreSQL takes less than 8,000 bytes. */
    public static final int MAX_BYTES = 7_900;

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseSignals.class);
    private static final Duration BEAT = Duration.ofSeconds(1);

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final NotificationChannel channel;

    /**
     * One of them.
     *
     * @param t tenant
     * @param k kind
     * @param n names, or what else belongs to the kind
     * @param u the users whom it concerns; null: everyone in the tenant
     */
    public record Signal(
            long t, String k, List<String> n, @Nullable List<Long> u) {}

    /** Hears them, quickly: whatever takes time is done elsewhere. */
    public interface Listener {
        void heard(Signal signal);

        /** Some may have been missed. */
        void gap();
    }

    public DatabaseSignals(String jdbcUrl, @Nullable String user, @Nullable String password) {
        channel = new NotificationChannel(
                "mcp", new NotificationChannel.Login(jdbcUrl, user, password), BEAT, new NotificationChannel.Ear() {
                    @Override
                    public void opened() {
                        listeners.forEach(Listener::gap);
                    }

                    @Override
                    public void heard(String payload) {
                        hear(payload);
                    }
                });
        channel.open();
    }

    public void onSignal(Listener listener) {
        listeners.add(listener);
    }

    private void hear(String text) {
        try {
            var signal = Json.bind(Json.readObject(text.getBytes(StandardCharsets.UTF_8)), Signal.class);
            listeners.forEach(listener -> listener.heard(signal));
        } catch (JacksonException | Problem e) {
            LOG.warn("a signal that is none: {}", Excerpt.of(text, 100));
        }
    }

    @Override
    public void close() {
        channel.close();
    }
}
