package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * What the replicas tell each other through the database: that something changed (told by triggers when the change is
 * committed), and what concerns a session whose requests reach different replicas. Heard on a connection of its own.
 */
public final class Signals implements AutoCloseable {
    /** What was said about a session changed; names: its id. */
    public static final String SESSION = "session";

    /** PostgreSQL takes less than 8,000 bytes. */
    public static final int MAX_BYTES = 7_900;

    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    private static final int BEAT_MILLIS = 1_000;
    private static final int RETRY_MILLIS = 250;

    private final String url;
    private final Properties properties = new Properties();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile boolean closed;

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

    public Signals(String jdbcUrl, @Nullable String user, @Nullable String password) {
        this.url = jdbcUrl;
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        properties.setProperty("ApplicationName", "agent-workspace-engine-signals");
        properties.setProperty("connectTimeout", "2");
        properties.setProperty("socketTimeout", "5");
        thread = Thread.ofVirtual().name("signals").start(this::watch);
    }

    public void onSignal(Listener listener) {
        listeners.add(listener);
    }

    private void watch() {
        while (!closed) {
            try (var connection = DriverManager.getConnection(url, properties)) {
                listen(connection);
            } catch (SQLException e) {
                if (!closed) {
                    LOG.debug("the signals lost their connection", e);
                    pause();
                }
            }
        }
    }

    private void listen(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("LISTEN mcp");
            listeners.forEach(Listener::gap);
            while (!closed) {
                var heard = connection.unwrap(PGConnection.class).getNotifications(BEAT_MILLIS);
                if (heard == null || heard.length == 0) {
                    statement.execute("SELECT 1"); // A connection that died silently shows here.
                    continue;
                }
                for (var notification : heard) {
                    hear(notification.getParameter());
                }
            }
        }
    }

    private void hear(String text) {
        try {
            var signal = Json.bind(Json.readObject(text.getBytes(StandardCharsets.UTF_8)), Signal.class);
            listeners.forEach(listener -> listener.heard(signal));
        } catch (JacksonException | Problem e) {
            LOG.warn("a signal that is none: {}", text.length() > 100 ? text.substring(0, 100) : text);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join(Duration.ofSeconds(3));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
