package io.agentworkspace.engine.store;

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

/**
 * Listens for changes of keys and users on a connection of its own. What is remembered of callers may be used as long as
 * the last heartbeat of that connection is younger than a second; so a revoked key stops everywhere within that time, also
 * when this replica is cut off.
 */
public final class CallersWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallersWatch.class);
    private static final int BEAT_MILLIS = 200;
    private static final Duration VOUCHED = Duration.ofMillis(900);
    private static final int RETRY_MILLIS = 250;

    private final String url;
    private final Properties properties = new Properties();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile long lastBeat = System.nanoTime() - VOUCHED.toNanos();
    private volatile boolean closed;

    public CallersWatch(String jdbcUrl, @Nullable String user, @Nullable String password) {
        this.url = jdbcUrl;
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        properties.setProperty("ApplicationName", "agent-workspace-engine-watch");
        properties.setProperty("connectTimeout", "2");
        properties.setProperty("socketTimeout", "2");
        thread = Thread.ofVirtual().name("callers-watch").start(this::watch);
    }

    void onChange(Runnable forget) {
        listeners.add(forget);
    }

    /** Whether every change of more than a second ago has been heard. */
    boolean isCurrent() {
        return System.nanoTime() - lastBeat < VOUCHED.toNanos();
    }

    private void watch() {
        while (!closed) {
            try (var connection = DriverManager.getConnection(url, properties)) {
                listen(connection);
            } catch (SQLException e) {
                if (!closed) {
                    LOG.debug("the watch on callers lost its connection", e);
                    pause();
                }
            }
        }
    }

    private void listen(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("LISTEN callers_changed");
            // What changed while nobody listened is not known.
            listeners.forEach(Runnable::run);
            while (!closed) {
                var asked = System.nanoTime();
                statement.execute("SELECT 1");
                var heard = connection.unwrap(PGConnection.class).getNotifications(BEAT_MILLIS);
                if (heard != null && heard.length > 0) {
                    listeners.forEach(Runnable::run);
                }
                lastBeat = asked;
            }
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
