package io.agentworkspace.engine.setup;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** Asks a database server for its state, on one connection. No tenant is concerned. */
final class SetupQueries {
    /** Odd, so that one is in the middle. */
    private static final int ROUND_TRIPS = 9;

    private static final int PATIENCE_MILLIS = 3_000;

    private static final String FACTS = """
            SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number,
                   pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only,
                   current_setting('server_encoding') AS encoding, clock_timestamp() AS now,
                   (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
                   current_setting('max_connections')::integer AS most_connections,
                   current_setting('archive_mode') <> 'off' AS is_archiving, a.last_archived_time,
                   coalesce(a.last_failed_time > coalesce(a.last_archived_time, '-infinity'), false) AS is_archiving_failed,
                   pg_size_pretty(pg_database_size(current_database())) AS size
              FROM pg_stat_archiver a
            """;

    private final Connection connection;

    SetupQueries(Connection connection) {
        this.connection = connection;
    }

    /**
     * @param number the server's version as PostgreSQL counts: 170006 for 17.6
     * @param now the time of the server's clock
     * @param archived when the last file of the write-ahead log was archived
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
            String size) {}

    Facts facts() throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(FACTS)) {
            row.next();
            var archived = row.getObject("last_archived_time", OffsetDateTime.class);
            return new Facts(
                    row.getString("version"),
                    row.getInt("number"),
                    row.getBoolean("is_standby"),
                    row.getBoolean("is_read_only"),
                    row.getString("encoding"),
                    row.getObject("now", OffsetDateTime.class).toInstant(),
                    row.getLong("connections"),
                    row.getInt("most_connections"),
                    row.getBoolean("is_archiving"),
                    archived == null ? null : archived.toInstant(),
                    row.getBoolean("is_archiving_failed"),
                    row.getString("size"));
        }
    }

    /** Returns the median of some round trips. */
    Duration roundTrip() throws SQLException {
        var nanos = LongStream.builder();
        try (var statement = connection.createStatement()) {
            for (var i = 0; i < ROUND_TRIPS; i++) {
                var begun = System.nanoTime();
                statement.execute("SELECT 1");
                nanos.add(System.nanoTime() - begun);
            }
        }
        return Duration.ofNanos(
                nanos.build().sorted().skip(ROUND_TRIPS / 2).findFirst().orElseThrow());
    }

    /** Returns whether a notification that the other connection sends arrives here. */
    boolean hears(Connection other) throws SQLException {
        try (var listening = connection.createStatement();
                var sending = other.createStatement()) {
            listening.execute("LISTEN engine_doctor");
            sending.execute("NOTIFY engine_doctor");
            var heard = connection.unwrap(PGConnection.class).getNotifications(PATIENCE_MILLIS);
            return heard != null && heard.length > 0;
        }
    }
}
