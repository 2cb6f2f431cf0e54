package io.agentworkspace.engine.kernel.db;

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
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A separate connection that listens to one of PostgreSQL's notification channels, and reconnects when it is lost. It
 * is tested by heartbeats, which another connection to the same address sends. Only a heartbeat that arrives by itself
 * counts: a pooler would answer a statement on the listening connection although no notification can arrive. The pool
 * does not send them: they would wait for their turn while it is busy.
 */
public final class NotificationChannel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NotificationChannel.class);
    private static final int RETRY_MILLIS = 250;

    /** After this time, {@link #isLost} finds out whether a heartbeat that was sent is lost or only late. */
    private static final Duration OVERDUE = Duration.ofSeconds(5);

    /** One transaction, whose commit does not wait for the disk. */
    private static final String SEND = "SELECT set_config('synchronous_commit', 'off', true), pg_notify(?, ?)";

    private final String name;
    private final Login login;
    private final Duration beat;
    private final Receiver receiver;
    private final Thread listener;
    private final Thread sender;
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    /** The channel of this connection's heartbeats; null while there is no connection. */
    private volatile @Nullable String beats;

    /** When the oldest heartbeat was sent that had not arrived when its sending ended. */
    private volatile long awaited;

    /** When the last heartbeat was sent that has arrived. */
    private volatile long arrived;

    /** When the last heartbeat arrived, or the connection was opened. */
    private long lastArrival;

    private boolean isWarned;
    private volatile boolean closed;

    /** The database's address, and the credentials to log in with. */
    record Login(
            String url, @Nullable String user, @Nullable String password) {}

    /** Receives notifications on the channel's own thread. Implementations must return quickly. */
    public interface Receiver {
        /** Reports that the channel is open. Earlier notifications may have been missed. */
        void opened();

        void received(String payload);

        /** Reports that everything sent before this instant of {@link System#nanoTime} was received. */
        default void current(long since) {}

        /** Reports that notifications may be missing at the moment. It is called again until they arrive. */
        default void late() {}
    }

    NotificationChannel(Login login, String name, Duration beat, Receiver receiver) {
        this.name = name;
        this.login = login;
        this.beat = beat;
        this.receiver = receiver;
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
     * @throws DatabaseFailure if heartbeats are lost, or none arrives within a minute
     */
    public void awaitFirst() {
        try {
            first.copy()
                    .orTimeout(Db.FIRST_CONNECTION.toSeconds(), TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof TimeoutException
                    ? DatabaseFailure.lateNotifications(e)
                    : DatabaseFailure.lostNotifications(e);
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
                receiver.late();
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
        properties.setProperty("sslResponseTimeout", "2000");
        return DriverManager.getConnection(login.url(), properties);
    }

    private void listen(Connection connection) throws SQLException {
        var own = "beat_" + UUID.randomUUID().toString().replace("-", "");
        try (var statement = connection.createStatement()) {
            statement.execute("LISTEN " + name);
            statement.execute("LISTEN " + own);
        }
        awaited = System.nanoTime();
        arrived = awaited;
        lastArrival = awaited;
        beats = own;
        receiver.opened();
        while (!closed) {
            if (receive(connection, own, (int) beat.toMillis())) {
                arrived();
            } else if (isOverdue() && isLost(connection, own)) {
                lost();
                return;
            } else if (System.nanoTime() - lastArrival > 2 * beat.toNanos()) {
                receiver.late();
            }
        }
    }

    /** Passes notifications on, and returns whether one of this connection's heartbeats was among them. */
    private boolean receive(Connection connection, String own, int millis) throws SQLException {
        var received = connection.unwrap(PGConnection.class).getNotifications(millis);
        var hasBeat = false;
        for (var notification : received == null ? new PGNotification[0] : received) {
            if (notification.getName().equals(own)) {
                arrived = Long.parseLong(notification.getParameter());
                hasBeat = true;
            } else {
                receiver.received(notification.getParameter());
            }
        }
        return hasBeat;
    }

    private void arrived() {
        lastArrival = System.nanoTime();
        isWarned = false;
        receiver.current(arrived);
        first.complete(null);
    }

    private boolean isOverdue() {
        var since = awaited;
        return arrived - since < 0 && System.nanoTime() - since > OVERDUE.toNanos();
    }

    /**
     * Returns whether an overdue heartbeat is lost. On a slow machine it is only late: PostgreSQL delivers what was sent
     * before a statement at the latest with the statement's result. What comes with it does not count as an arrival,
     * since a pooler may have run the statement in the session that listens by chance.
     */
    private boolean isLost(Connection connection, String own) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
        return !receive(connection, own, 1);
    }

    private void lost() {
        var failure = DatabaseFailure.lostNotifications(new SQLException("no heartbeat has arrived"));
        if (!first.completeExceptionally(failure) && !isWarned) {
            LOG.warn("{}; every key and session is looked up meanwhile", failure.getMessage());
        }
        isWarned = true;
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
                first.completeExceptionally(DatabaseFailure.lostNotifications(e));
            }
        }
    }

    private void send(PreparedStatement statement, String channel) throws SQLException {
        var now = System.nanoTime();
        statement.setString(1, channel);
        statement.setString(2, Long.toString(now));
        statement.execute();
        if (arrived - awaited >= 0) {
            awaited = now;
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
        listener.interrupt(); // It may wait for a notification, or for its next beat: the interrupt closes its socket.
        sender.interrupt();
        try {
            listener.join(Duration.ofSeconds(3));
            sender.join(Duration.ofSeconds(3));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
