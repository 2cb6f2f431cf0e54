package io.agentworkspace.engine.db;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A separate connection that listens to one of PostgreSQL's notification channels, and reconnects when it is lost. It
 * is tested by heartbeats, which another connection to the same address sends. No statement runs on the listening
 * connection itself after {@code LISTEN}, since a pooler would answer it although no notification can arrive. The pool
 * does not send them: they would wait for their turn while it is busy.
 */
public final class NotificationChannel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NotificationChannel.class);
    private static final int RETRY_MILLIS = 250;

    /** After this time, a heartbeat that was sent will not arrive any more. */
    private static final Duration LOST = Duration.ofSeconds(5);

    /** One transaction, whose commit does not wait for the disk. */
    private static final String SEND = "SELECT set_config('synchronous_commit', 'off', true), pg_notify(?, ?)";

    private final String name;
    private final Login login;
    private final Duration beat;
    private final Ear ear;
    private final Thread listener;
    private final Thread sender;
    private final CompletableFuture<Void> heard = new CompletableFuture<>();
    /** The channel of this connection's heartbeats; null while there is no connection. */
    private volatile @Nullable String beats;

    /** When the first of the heartbeats was sent that have not arrived; 0: all have. */
    private volatile long overdueSince;

    /** When the last heartbeat arrived, or the connection was opened. */
    private long lastArrived;

    private boolean isDeaf;
    private volatile boolean closed;

    /** The database's address, and the credentials to log in with. */
    record Login(
            String url, @Nullable String user, @Nullable String password) {}

    /** Receives notifications on the channel's own thread. Implementations must return quickly. */
    public interface Ear {
        /** Reports that the channel is open. Earlier notifications may have been missed. */
        void opened();

        void received(String payload);

        /** Reports that everything sent before this instant of {@link System#nanoTime} was received. */
        default void current(long since) {}

        /** Reports that notifications may be missing at the moment. It is called again until they arrive. */
        default void late() {}
    }

    NotificationChannel(Login login, String name, Duration beat, Ear ear) {
        this.name = name;
        this.login = login;
        this.beat = beat;
        this.ear = ear;
        this.listener = Thread.ofVirtual().name("channel " + name).unstarted(this::keepListening);
        this.sender = Thread.ofVirtual().name("heartbeat " + name).unstarted(this::keepSending);
    }

    public void open() {
        listener.start();
        sender.start();
    }

    /**
     * Waits for the first heartbeat to arrive.
     *
     * @throws DatabaseFailure if heartbeats are sent and do not arrive, or the database gives no connection for a minute
     */
    public void awaitFirst() {
        try {
            heard.copy()
                    .orTimeout(Db.FIRST_CONNECTION.toSeconds(), TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            throw DatabaseFailure.deaf(e);
        }
    }

    private void keepListening() {
        while (!closed) {
            try (var connection = connection()) {
                listen(connection);
            } catch (SQLException e) {
                if (!closed) {
                    LOG.debug("the channel {} lost its connection", name, e);
                    pause(RETRY_MILLIS);
                }
            } finally {
                beats = null;
                ear.late();
            }
        }
    }

    private Connection connection() throws SQLException {
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
        return DriverManager.getConnection(login.url(), properties);
    }

    private void listen(Connection connection) throws SQLException {
        var own = "beat_" + UUID.randomUUID().toString().replace("-", "");
        try (var statement = connection.createStatement()) {
            statement.execute("LISTEN " + name);
            statement.execute("LISTEN " + own);
        }
        overdueSince = 0;
        lastArrived = System.nanoTime();
        beats = own;
        ear.opened();
        while (!closed) {
            var received = connection.unwrap(PGConnection.class).getNotifications((int) beat.toMillis());
            if (received != null) {
                for (var notification : received) {
                    if (notification.getName().equals(own)) {
                        arrived(Long.parseLong(notification.getParameter()));
                    } else {
                        ear.received(notification.getParameter());
                    }
                }
            }
            var since = overdueSince;
            if (since != 0 && System.nanoTime() - since > LOST.toNanos()) {
                lost(new SQLException("no heartbeat has arrived"));
                return;
            }
            if (System.nanoTime() - lastArrived > 2 * beat.toNanos()) {
                ear.late();
            }
        }
    }

    private void arrived(long sent) {
        overdueSince = 0;
        lastArrived = System.nanoTime();
        isDeaf = false;
        ear.current(sent);
        heard.complete(null);
    }

    private void lost(Exception reason) {
        var failure = DatabaseFailure.deaf(reason);
        if (!heard.completeExceptionally(failure) && !isDeaf) {
            LOG.warn("{}; every key and session is looked up meanwhile", failure.getMessage());
        }
        isDeaf = true;
    }

    private void keepSending() {
        while (!closed) {
            var channel = beats;
            if (channel != null) {
                sendAll(channel);
            }
            pause(beat.toMillis());
        }
    }

    /** Sends the heartbeats of one listening connection. */
    private void sendAll(String channel) {
        try (var connection = connection();
                var statement = connection.prepareStatement(SEND)) {
            while (!closed && channel.equals(beats)) {
                send(statement, channel);
                pause(beat.toMillis());
            }
        } catch (SQLException e) {
            LOG.debug("no heartbeat could be sent to the channel {}", name, e);
            if (DatabaseFailure.isOtherSession(e)) {
                heard.completeExceptionally(DatabaseFailure.deaf(e));
            }
        }
    }

    private void send(PreparedStatement statement, String channel) throws SQLException {
        statement.setString(1, channel);
        statement.setString(2, Long.toString(System.nanoTime()));
        statement.execute();
        if (overdueSince == 0) {
            overdueSince = System.nanoTime(); // If it has arrived already, the next one that arrives corrects this.
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            listener.join(Duration.ofSeconds(3));
            sender.join(Duration.ofSeconds(3));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
