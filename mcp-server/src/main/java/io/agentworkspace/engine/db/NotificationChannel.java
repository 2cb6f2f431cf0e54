package io.agentworkspace.engine.db;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A separate connection that listens to one of PostgreSQL's notification channels, and reconnects when it is lost. */
public final class NotificationChannel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NotificationChannel.class);
    private static final int RETRY_MILLIS = 250;

    private final String name;
    private final Login login;
    private final Duration beat;
    private final Ear ear;
    private final Thread thread;
    private volatile boolean closed;

    /** The database's address, and the credentials to log in with. */
    public record Login(
            String url, @Nullable String user, @Nullable String password) {}

    /** Receives notifications on the channel's own thread. Implementations must return quickly. */
    public interface Ear {
        /** Reports that the channel is open. Earlier notifications may have been missed. */
        void opened();

        void received(String payload);

        /** Reports that everything sent before this instant of {@link System#nanoTime} was received. */
        default void current(long since) {}
    }

    /** @param beat how long to wait for notifications before the connection is tested */
    public NotificationChannel(String name, Login login, Duration beat, Ear ear) {
        this.name = name;
        this.login = login;
        this.beat = beat;
        this.ear = ear;
        this.thread = Thread.ofVirtual().name("channel " + name).unstarted(this::keepListening);
    }

    public void open() {
        thread.start();
    }

    private void keepListening() {
        while (!closed) {
            try (var connection = DriverManager.getConnection(login.url(), properties())) {
                listen(connection);
            } catch (SQLException e) {
                if (!closed) {
                    LOG.debug("the channel {} lost its connection", name, e);
                    pause();
                }
            }
        }
    }

    private Properties properties() {
        var properties = new Properties();
        if (login.user() != null) {
            properties.setProperty("user", login.user());
        }
        if (login.password() != null) {
            properties.setProperty("password", login.password());
        }
        properties.setProperty("ApplicationName", "agent-workspace-engine-" + name);
        properties.setProperty("connectTimeout", "2");
        properties.setProperty("socketTimeout", "2");
        return properties;
    }

    private void listen(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("LISTEN " + name);
            ear.opened();
            while (!closed) {
                var asked = System.nanoTime();
                statement.execute("SELECT 1"); // Detects a connection that was lost without notice.
                var heard = connection.unwrap(PGConnection.class).getNotifications((int) beat.toMillis());
                if (heard != null) {
                    for (var notification : heard) {
                        ear.received(notification.getParameter());
                    }
                }
                ear.current(asked);
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
