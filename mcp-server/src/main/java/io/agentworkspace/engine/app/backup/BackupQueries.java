package io.agentworkspace.engine.app.backup;

import io.agentworkspace.engine.app.backup.Manifest.TableSum;
import io.agentworkspace.engine.app.distribute.ClusterQueries;
import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.migration.SchemaVersion;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Reads a whole database in one snapshot. No tenant is concerned.
 *
 * @param user null: the URL contains the credentials
 */
public record BackupQueries(
        String url, @Nullable String user, @Nullable String password) {
    private static final String BEGIN = """
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
            SET LOCAL statement_timeout = 0;
            SET LOCAL idle_in_transaction_session_timeout = 0;
            SET LOCAL TimeZone = 'UTC';
            SET LOCAL DateStyle = 'ISO, YMD';
            SET LOCAL IntervalStyle = 'postgres';
            SET LOCAL extra_float_digits = 1;
            SET LOCAL bytea_output = 'hex'
            """;

    private static final String EXPORT = "SELECT pg_export_snapshot(), current_setting('server_version')";

    /**
     * Tables with their columns as a list for SQL. A partition is a part of its table. Times are written in UTC: with Citus, each server
     * computes the sums of its rows, and may have another time zone.
     */
    private static final String TABLES = """
            SELECT quote_ident(c.relname) AS name,
                   string_agg(format(CASE a.atttypid WHEN CAST('timestamptz' AS regtype)
                                     THEN 'CAST(%1$I AT TIME ZONE ''UTC'' AS text) || CASE WHEN isfinite(%1$I) THEN ''+00'' ELSE '''' END'
                                     ELSE '%1$I' END, a.attname), ', ' ORDER BY a.attnum) AS columns
              FROM pg_class c
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
             WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
             GROUP BY c.relname
             ORDER BY c.relname
            """;

    private static final String SUM = """
            SELECT count(*), coalesce(sum(CAST(hashtextextended(CAST(ROW(%s) AS text), 0) AS numeric)), 0) FROM %s
            """;

    /** The last number of each sequence. No snapshot has these. */
    private static final String SEQUENCES = """
            SELECT quote_ident(sequencename), coalesce(last_value, 0) FROM pg_sequences WHERE schemaname = current_schema()
            """;

    /**
     * What else a schema has, without what belongs to an extension, or to one version of the server. Citus hides shards in
     * {@code pg_class} only.
     */
    private static final String OBJECTS = """
            SELECT 'indexes', count(*) FROM pg_class WHERE relkind IN ('i', 'I') AND relnamespace = current_schema()::regnamespace
             UNION ALL
            SELECT 'constraints', count(*)
              FROM pg_constraint k
              JOIN pg_class c ON c.oid = k.conrelid
             WHERE k.contype <> 'n' AND c.relnamespace = current_schema()::regnamespace
             UNION ALL
            SELECT 'triggers', count(*)
              FROM pg_trigger t
              JOIN pg_class c ON c.oid = t.tgrelid
             WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace
             UNION ALL
            SELECT 'functions', count(*)
              FROM pg_proc p
             WHERE p.pronamespace = current_schema()::regnamespace
               AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
            """;

    /** What {@code ssl} and {@code sslmode} are for PostgreSQL's programs is in {@link #environment}. */
    private static final Set<String> TRANSLATED = Set.of("ssl", "sslmode", "sslrootcert", "sslcert", "sslkey");

    /**
     * A snapshot that other sessions can use as long as the function runs that has it.
     *
     * @param sequences their numbers from before the function ran
     */
    record Snapshot(
            String id,
            String server,
            int schema,
            SortedMap<String, TableSum> tables,
            SortedMap<String, Long> sequences,
            SortedMap<String, Long> objects) {}

    /**
     * Runs a function while a snapshot is open, and afterwards reads what the tables contain in it.
     *
     * @param work gets the snapshot's id and the server's version
     * @throws DatabaseFailure if the database cannot be used
     * @throws BackupFailure if it is that of a cluster, and engines use it
     */
    Snapshot within(BiConsumer<String, String> work) {
        try (var connection = source().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(BEGIN);
            refuseUsedCluster(statement);
            try (var row = statement.executeQuery(EXPORT)) {
                row.next();
                var id = row.getString(1);
                var server = row.getString(2);
                var sequences = numbers(connection, SEQUENCES);
                work.accept(id, server);
                var snapshot = new Snapshot(
                        id,
                        server,
                        SchemaVersion.of(connection).version(),
                        sums(connection),
                        sequences,
                        numbers(connection, OBJECTS));
                refuseUsedCluster(statement); // An engine may have started meanwhile.
                return snapshot;
            }
        } catch (SQLException e) {
            throw DatabaseFailure.of("cannot be used", e);
        }
    }

    private static void refuseUsedCluster(Statement statement) throws SQLException {
        if (ClusterQueries.isUsed(statement)) {
            throw new BackupFailure(
                    "the database is on several servers (Citus), and engines use it, so a dump would be of several moments: stop them until it ends, or back up each server (docs/scale.md#many-primaries)");
        }
    }

    private static SortedMap<String, Long> numbers(Connection connection, String query) throws SQLException {
        var numbers = new TreeMap<String, Long>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            while (rows.next()) {
                numbers.put(rows.getString(1), rows.getLong(2));
            }
        }
        return numbers;
    }

    private static SortedMap<String, TableSum> sums(Connection connection) throws SQLException {
        var tables = new LinkedHashMap<String, String>();
        var sums = new TreeMap<String, TableSum>();
        try (var statement = connection.createStatement()) {
            try (var rows = statement.executeQuery(TABLES)) {
                while (rows.next()) {
                    tables.put(rows.getString("name"), rows.getString("columns"));
                }
            }
            for (var table : tables.entrySet()) {
                try (var row = statement.executeQuery(SUM.formatted(table.getValue(), table.getKey()))) {
                    row.next();
                    sums.put(table.getKey(), new TableSum(row.getLong(1), row.getString(2)));
                }
            }
        }
        return sums;
    }

    private PGSimpleDataSource source() {
        var source = new PGSimpleDataSource();
        source.setUrl(url);
        source.setConnectTimeout(10);
        if (user != null) {
            source.setUser(user);
            source.setPassword(password);
        }
        return source;
    }

    /**
     * Returns the environment in which PostgreSQL's programs connect to the same database, as safely as the driver does.
     *
     * @throws BackupFailure if the URL has something about TLS that these programs cannot do
     */
    Map<String, String> environment() {
        var defaults = new Properties();
        if (user != null && password != null) {
            defaults.setProperty("user", user);
            defaults.setProperty("password", password);
        }
        var parts = Driver.parseURL(url, defaults);
        if (parts == null) {
            throw new BackupFailure("ENGINE_DATABASE_URL cannot be read");
        }
        var variables = new HashMap<String, String>();
        put(variables, "PGHOST", parts, "PGHOST");
        put(variables, "PGPORT", parts, "PGPORT");
        put(variables, "PGDATABASE", parts, "PGDBNAME");
        put(variables, "PGUSER", parts, "user");
        put(variables, "PGPASSWORD", parts, "password");
        put(variables, "PGSSLROOTCERT", parts, "sslrootcert");
        put(variables, "PGSSLCERT", parts, "sslcert");
        put(variables, "PGSSLKEY", parts, "sslkey");
        if (Set.of("", "true").contains(parts.getProperty("ssl", "false"))) {
            variables.put("PGSSLMODE", "verify-full");
        }
        put(variables, "PGSSLMODE", parts, "sslmode");
        parts.stringPropertyNames().stream()
                .filter(name -> name.startsWith("ssl") && !TRANSLATED.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new BackupFailure(
                            "PostgreSQL's programs cannot connect with %s of ENGINE_DATABASE_URL: for a backup, use sslmode, sslrootcert, sslcert and sslkey",
                            name);
                });
        if ("primary".equals(parts.getProperty("targetServerType"))) {
            variables.put("PGTARGETSESSIONATTRS", "read-write");
        }
        return variables;
    }

    private static void put(Map<String, String> variables, String name, Properties parts, String part) {
        var value = parts.getProperty(part);
        if (value != null && !value.isEmpty()) {
            variables.put(name, value);
        }
    }
}
