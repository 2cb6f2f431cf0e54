package io.agentworkspace.engine.app.distribute;

import io.agentworkspace.engine.app.distribute.Cluster.Place;
import io.agentworkspace.engine.app.distribute.Cluster.Server;
import io.agentworkspace.engine.app.distribute.Cluster.Table;
import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.migration.SchemaVersion;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** One transaction on the coordinator of a cluster, or on another database. It is rolled back unless it is committed. */
public final class ClusterQueries implements AutoCloseable {
    private static final String BEGIN = """
            BEGIN;
            SET LOCAL statement_timeout = 0;
            SET LOCAL idle_in_transaction_session_timeout = 0;
            SET LOCAL lock_timeout = '60s';
            SET LOCAL client_min_messages = error
            """;

    /** What else is set where an answer is needed soon. Without Citus, the setting has no effect. */
    private static final String SOON = """
            SELECT set_config('statement_timeout', ?, true), set_config('citus.node_connection_timeout', ?, true)
            """;

    private static final String ONE_AT_A_TIME =
            "SELECT pg_advisory_xact_lock(hashtextextended('engine distribute', 0))";

    private static final String HAS_CITUS = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')";

    private static final String ENGINES = """
            SELECT count(*)
              FROM pg_stat_activity
             WHERE datname = current_database() AND application_name LIKE 'agent-workspace-engine%' AND pid <> pg_backend_pid()
            """;

    private static final String HAS_ENGINES =
            SqlTemplate.of("SELECT ({engines}) > 0").with("engines", ENGINES).sql();

    private static final String IS_MOVED = "SELECT EXISTS (SELECT 1 FROM pg_dist_partition)";

    private static final String TABLES = """
            SELECT CAST(CAST(c.oid AS regclass) AS text) AS name, '' AS place,
                   CASE WHEN c.relname IN ('tenant', 'plan_limit') THEN 'COPIED'
                        WHEN a.attnum IS NULL OR c.relname = 'directory' THEN 'LOCAL'
                        ELSE 'DISTRIBUTED' END AS wanted
              FROM pg_class c
              LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
             WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = CAST(current_schema() AS regnamespace)
             ORDER BY c.relname
            """;

    private static final String PLACED_TABLES =
            SqlTemplate.of("""
            SELECT t.name, t.wanted,
                   CASE WHEN p.logicalrelid IS NULL THEN 'LOCAL'
                        WHEN p.partmethod <> 'n' THEN 'DISTRIBUTED'
                        WHEN p.repmodel = 't' THEN 'COPIED'
                        ELSE 'MANAGED' END AS place
              FROM ({tables}) t
              LEFT JOIN pg_dist_partition p ON p.logicalrelid = CAST(t.name AS regclass)
             ORDER BY t.name
            """).with("tables", TABLES).sql();

    private static final String RELATIONS = """
            SELECT sum(1 + (SELECT count(*) FROM pg_index i WHERE i.indrelid = c.oid) + CASE c.reltoastrelid WHEN 0 THEN 0 ELSE 2 END)
              FROM pg_class c
             WHERE c.relkind IN ('r', 'p') AND c.relnamespace = CAST(current_schema() AS regnamespace)
            """;

    /** Each server answers with its settings in one line. */
    private static final String SERVERS = """
            SELECT n.nodename AS host, n.nodeport AS port, n.groupid = 0 AS is_coordinator,
                   coalesce(r.success, false) AS is_reached,
                   CASE WHEN r.success THEN string_to_array(r.result, ' ') ELSE '{0,off,off,1,off,0}' END AS settings
              FROM pg_dist_node n
              LEFT JOIN run_command_on_all_nodes($$
                       SELECT concat_ws(' ', current_setting('max_prepared_transactions'),
                                        coalesce(current_setting('citus.enable_unsafe_triggers', true), 'off'),
                                        coalesce(current_setting('citus.allow_nested_distributed_execution', true), 'off'),
                                        coalesce(current_setting('citus.max_adaptive_executor_pool_size', true), '1'),
                                        current_setting('jit'),
                                        CAST(current_setting('max_locks_per_transaction') AS bigint)
                                        * (CAST(current_setting('max_connections') AS bigint)
                                           + CAST(current_setting('max_prepared_transactions') AS bigint)))
                       $$) r ON r.nodeid = n.nodeid
             WHERE n.noderole = 'primary' AND n.isactive
             ORDER BY n.groupid
            """;

    private static final String SHARDS = "SELECT count(DISTINCT shardminvalue) FROM pg_dist_shard";

    private final Connection connection;

    private ClusterQueries(Connection connection) {
        this.connection = connection;
    }

    /**
     * @param user null: the URL contains the credentials
     * @throws DatabaseFailure if the database cannot be used
     */
    public static ClusterQueries begin(String url, @Nullable String user, @Nullable String password) {
        return begin(url, user, password, Duration.ZERO);
    }

    /**
     * @param user null: the URL contains the credentials
     * @param limit in which each statement ends, also if servers of the cluster do not answer; zero: none
     * @throws DatabaseFailure if the database cannot be used
     */
    public static ClusterQueries begin(String url, @Nullable String user, @Nullable String password, Duration limit) {
        var source = new PGSimpleDataSource();
        source.setUrl(url);
        source.setConnectTimeout(10);
        source.setSocketTimeout((int) limit.toSeconds());
        source.setTcpKeepAlive(true);
        source.setLogServerErrorDetail(false);
        if (user != null) {
            source.setUser(user);
            source.setPassword(password);
        }
        try {
            var queries = new ClusterQueries(source.getConnection());
            queries.begin(limit);
            return queries;
        } catch (SQLException e) {
            throw DatabaseFailure.of("cannot be used", e);
        }
    }

    private void begin(Duration limit) {
        try {
            run(BEGIN);
            if (!limit.isZero()) {
                run(SOON, limit.toMillis() + "ms", limit.dividedBy(4).toMillis() + "ms");
            }
        } catch (DatabaseFailure e) {
            close();
            throw e;
        }
    }

    /** Returns whether a database has tables on several servers, and engines use it now. */
    public static boolean isUsed(Statement statement) throws SQLException {
        statement.execute("SELECT pg_stat_clear_snapshot()"); // Else the engines are those of an earlier statement.
        return isTrue(statement, HAS_CITUS) && isTrue(statement, IS_MOVED) && isTrue(statement, HAS_ENGINES);
    }

    private static boolean isTrue(Statement statement, String question) throws SQLException {
        try (var row = statement.executeQuery(question)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Waits for another one that distributes tables, and keeps others from it until the end. */
    void lock() {
        list(ONE_AT_A_TIME, _ -> true);
    }

    Cluster read() {
        var hasCitus = one(HAS_CITUS, row -> row.getBoolean(1));
        return new Cluster(
                hasCitus,
                schema(),
                one(ENGINES, row -> row.getLong(1)),
                one(RELATIONS, row -> row.getLong(1)),
                hasCitus ? one(SHARDS, row -> row.getInt(1)) : 0,
                hasCitus ? list(SERVERS, ClusterQueries::server) : List.of(),
                list(hasCitus ? PLACED_TABLES : TABLES, ClusterQueries::table));
    }

    private SchemaVersion schema() {
        try {
            return SchemaVersion.of(connection);
        } catch (SQLException e) {
            throw DatabaseFailure.of("cannot be used", e);
        }
    }

    private static Server server(ResultSet row) throws SQLException {
        var settings = (String[]) row.getArray("settings").getArray();
        return new Server(
                row.getString("host"),
                row.getInt("port"),
                row.getBoolean("is_coordinator"),
                row.getBoolean("is_reached"),
                Integer.parseInt(settings[0]),
                settings[1].equals("on"),
                settings[2].equals("on"),
                Integer.parseInt(settings[3]),
                settings[4].equals("on"),
                Long.parseLong(settings[5]));
    }

    private static Table table(ResultSet row) throws SQLException {
        var place = row.getString("place");
        return new Table(
                row.getString("name"),
                place.isEmpty() ? Place.LOCAL : Place.valueOf(place),
                Place.valueOf(row.getString("wanted")));
    }

    /**
     * Returns the statements that a query writes, with two columns: one that is run before tables move, and one that is run
     * afterwards.
     *
     * @param relations the names of tables and views
     */
    List<SchemaParts.Part> parts(String query, List<String> relations) {
        try (var statement = connection.prepareStatement(query)) {
            statement.setArray(1, connection.createArrayOf("text", relations.toArray()));
            try (var rows = statement.executeQuery()) {
                return list(rows, row -> new SchemaParts.Part(row.getString(1), row.getString(2)));
            }
        } catch (SQLException e) {
            throw DatabaseFailure.of("cannot be used", e);
        }
    }

    /**
     * @param values of the statement's parameters
     * @throws DatabaseFailure if the database refuses it; what was done before is then undone
     */
    void run(String sql, String... values) {
        try (var statement = connection.prepareStatement(sql)) {
            for (var i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            statement.execute();
        } catch (SQLException e) {
            throw DatabaseFailure.of(
                    "was not changed, since it refuses a step (%s)"
                            .formatted(shortened(sql + " " + String.join(", ", values))),
                    e);
        }
    }

    private static String shortened(String sql) {
        var line = sql.strip().replaceAll("\\s+", " ");
        return line.length() <= 100 ? line : line.substring(0, 100) + "…";
    }

    void commit() {
        run("COMMIT");
    }

    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> T one(String query, Reader<T> reader) {
        return list(query, reader).getFirst();
    }

    private <T> List<T> list(String query, Reader<T> reader) {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            return list(rows, reader);
        } catch (SQLException e) {
            throw DatabaseFailure.of("cannot be used", e);
        }
    }

    private static <T> List<T> list(ResultSet rows, Reader<T> reader) throws SQLException {
        var all = new ArrayList<T>();
        while (rows.next()) {
            all.add(reader.read(rows));
        }
        return all;
    }

    @Override
    public void close() {
        try {
            connection.close(); // The server rolls back.
        } catch (SQLException e) {
            throw DatabaseFailure.of("cannot be used", e);
        }
    }
}
