package io.agentworkspace.engine.app.setup;

import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.migration.SchemaVersion;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Asks a database server for its state, on connections of its own. No tenant is concerned.
 *
 * @param user null: the URL contains the credentials
 * @param direct address for notifications, past a pooler; null: the same
 */
public record SetupQueries(
        String url,
        @Nullable String user,
        @Nullable String password,
        @Nullable String direct) {
    /** Odd, so that one is in the middle. */
    private static final int ROUND_TRIPS = 9;

    private static final int PATIENCE_SECONDS = 10;
    private static final int NOTIFICATION_MILLIS = 3_000;

    /** Longer than a statement may take. */
    static final Duration NEVER = Duration.ofSeconds(PATIENCE_SECONDS);

    /** It writes to the log and to no table: its commit waits as that of any write. */
    private static final String COMMIT = "SELECT pg_logical_emit_message(true, 'engine', '')";

    private static final String SET_MARK = "SELECT set_config('engine.doctor', ?, false)";
    private static final String MARK = "SELECT current_setting('engine.doctor', true)";

    private static final String FACTS = """
            SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number,
                   pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only,
                   current_setting('server_encoding') AS encoding, clock_timestamp() AS now,
                   (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
                   current_setting('max_connections')::integer AS most_connections,
                   current_setting('archive_mode') <> 'off' AS is_archiving, a.last_archived_time,
                   coalesce(a.last_failed_time > coalesce(a.last_archived_time, '-infinity'), false) AS is_archiving_failed,
                   pg_size_pretty(pg_database_size(current_database())) AS size,
                   EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS has_citus
              FROM pg_stat_archiver a
            """;

    /**
     * @param number the server's version as PostgreSQL counts: 170006 for 17.6
     * @param now the time of the server's clock when this was made
     * @param archived when the last file of the write-ahead log was archived
     * @param hasCitus whether its tables may be on several servers
     * @param roundTrip the median of some
     * @param commit how long a commit takes, the median of some; {@link #NEVER} if it does not end, zero if the server takes no
     *     writes
     * @param isPooled whether a pooler of transactions or statements is in between
     * @param isDirectPooled the same of the address for notifications
     * @param receivesNotifications whether a notification of one connection arrives on another
     */
    record Facts(
            String version,
            int number,
            boolean isStandby,
            boolean isReadOnly,
            String encoding,
            Instant now,
            long connections,
            int mostConnections,
            boolean isArchiving,
            @Nullable Instant archived,
            boolean isArchivingFailed,
            String size,
            boolean hasCitus,
            Duration roundTrip,
            Duration commit,
            boolean isPooled,
            boolean isDirectPooled,
            boolean receivesNotifications,
            SchemaVersion schema) {}

    /** @throws DatabaseFailure if the database cannot be used */
    Facts read() {
        var listening = source(direct == null ? url : direct);
        try (var connection = listening.getConnection();
                var other = listening.getConnection()) {
            var isDirectPooled = shareSessions(connection, other);
            return facts(connection, other, direct == null ? isDirectPooled : isPooled(), isDirectPooled);
        } catch (SQLException e) {
            throw DatabaseFailure.of("cannot be used", e);
        }
    }

    private PGSimpleDataSource source(String address) {
        var source = new PGSimpleDataSource();
        source.setUrl(address);
        source.setConnectTimeout(PATIENCE_SECONDS);
        source.setSocketTimeout(PATIENCE_SECONDS);
        source.setPrepareThreshold(0); // A pooler of transactions would refuse what another session prepared.
        if (user != null) {
            source.setUser(user);
            source.setPassword(password);
        }
        return source;
    }

    private boolean isPooled() throws SQLException {
        var source = source(url);
        try (var connection = source.getConnection();
                var other = source.getConnection()) {
            return shareSessions(connection, other);
        }
    }

    /** Returns whether one connection meets what another one has set in its session, as behind a pooler of transactions. */
    private static boolean shareSessions(Connection connection, Connection other) throws SQLException {
        var own = "engine" + System.nanoTime();
        for (var i = 0; i < ROUND_TRIPS; i++) {
            mark(connection, own);
            var isMet = own.equals(mark(other));
            mark(connection, "");
            if (isMet) {
                return true;
            }
        }
        return false;
    }

    private static void mark(Connection connection, String mark) throws SQLException {
        try (var statement = connection.prepareStatement(SET_MARK)) {
            statement.setString(1, mark);
            statement.execute();
        }
    }

    private static @Nullable String mark(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(MARK)) {
            row.next();
            return row.getString(1);
        }
    }

    private static Facts facts(Connection connection, Connection other, boolean isPooled, boolean isDirectPooled)
            throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(FACTS)) {
            row.next();
            var readAt = System.nanoTime();
            var isWritable = !row.getBoolean("is_standby") && !row.getBoolean("is_read_only");
            var commit = isWritable ? commit(other) : Duration.ZERO;
            var roundTrip = roundTrip(connection);
            var receives = !row.getBoolean("is_standby") // A standby refuses LISTEN.
                    && !commit.equals(NEVER)
                    && receivesNotifications(connection, other);
            var schema = SchemaVersion.of(connection);
            var archived = row.getObject("last_archived_time", OffsetDateTime.class);
            return new Facts(
                    row.getString("version"),
                    row.getInt("number"),
                    row.getBoolean("is_standby"),
                    row.getBoolean("is_read_only"),
                    row.getString("encoding"),
                    row.getObject("now", OffsetDateTime.class).toInstant().plusNanos(System.nanoTime() - readAt),
                    row.getLong("connections"),
                    row.getInt("most_connections"),
                    row.getBoolean("is_archiving"),
                    archived == null ? null : archived.toInstant(),
                    row.getBoolean("is_archiving_failed"),
                    row.getString("size"),
                    row.getBoolean("has_citus"),
                    roundTrip,
                    commit,
                    isPooled,
                    isDirectPooled,
                    receives,
                    schema);
        }
    }

    private static Duration commit(Connection connection) throws SQLException {
        try {
            return median(connection, COMMIT);
        } catch (SQLException e) {
            if (e.getCause() instanceof SocketTimeoutException) {
                return NEVER;
            }
            throw e;
        }
    }

    private static Duration roundTrip(Connection connection) throws SQLException {
        return median(connection, "SELECT 1");
    }

    private static Duration median(Connection connection, String query) throws SQLException {
        var nanos = LongStream.builder();
        try (var statement = connection.createStatement()) {
            for (var i = 0; i < ROUND_TRIPS; i++) {
                var startNanos = System.nanoTime();
                statement.execute(query);
                nanos.add(System.nanoTime() - startNanos);
            }
        }
        return Duration.ofNanos(
                nanos.build().sorted().skip(ROUND_TRIPS / 2).findFirst().orElseThrow());
    }

    private static boolean receivesNotifications(Connection connection, Connection other) throws SQLException {
        try (var listening = connection.createStatement();
                var sending = other.createStatement()) {
            listening.execute("LISTEN engine_doctor");
            sending.execute("NOTIFY engine_doctor");
            var heard = connection.unwrap(PGConnection.class).getNotifications(NOTIFICATION_MILLIS);
            return heard != null && heard.length > 0;
        }
    }
}
