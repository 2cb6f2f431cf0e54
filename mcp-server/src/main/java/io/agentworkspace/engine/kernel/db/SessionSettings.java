package io.agentworkspace.engine.kernel.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's settings of a connection that the engine requires. A statement sets them after connecting. The start-up
 * parameter {@code options} would not do: poolers refuse or drop it, and one in the URL replaces it.
 *
 * @param values by name, as {@code pg_settings} shows them
 */
record SessionSettings(Map<String, String> values) {
    private static final String IN_FORCE = """
            SELECT name, setting, (SELECT to_regclass('pg_dist_node') IS NOT NULL) AS has_citus FROM pg_settings
            """;

    /** With Citus a plan is made for the tenant, since another one is on another server. */
    private static final String PLANS = "plan_cache_mode";

    private static final String OF_EACH_TENANT = "force_custom_plan";

    SessionSettings with(Map<String, String> more) {
        var all = new LinkedHashMap<>(values);
        all.putAll(more);
        return new SessionSettings(all);
    }

    /** Returns the statement that sets them until the connection is closed. */
    public String statement() {
        return statement("'");
    }

    private String statement(String quote) {
        return values.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> "set_config(%1$s%2$s%1$s, %3$s, false)"
                        .formatted(quote, each.getKey(), value(each.getKey(), quote)))
                .collect(Collectors.joining(", ", "SELECT ", ""));
    }

    private String value(String name, String quote) {
        var literal = quote + values.get(name) + quote;
        return name.equals(PLANS)
                ? "CASE WHEN to_regclass(%1$spg_dist_node%1$s) IS NULL THEN %2$s ELSE %1$s%3$s%1$s END"
                        .formatted(quote, literal, OF_EACH_TENANT)
                : literal;
    }

    private @Nullable String required(String name, boolean hasCitus) {
        return name.equals(PLANS) && hasCitus ? OF_EACH_TENANT : values.get(name);
    }

    /** Returns what to write into the configuration of PgBouncer, where quotes are doubled. */
    private String byPooler() {
        return "With ENGINE_DATABASE_NOTIFY_URL the pooler must make them. PgBouncer: connect_query='%s'"
                .formatted(statement("''"));
    }

    /**
     * @param isPooled whether a pooler of transactions must make them
     * @throws DatabaseFailure if other values are in force
     */
    void check(Connection connection, boolean isPooled) throws SQLException {
        var missing = new LinkedHashMap<>(values);
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(IN_FORCE)) {
            while (rows.next()) {
                var name = rows.getString(1);
                var setting = rows.getString(2);
                var required = required(name, rows.getBoolean(3));
                if (values.containsKey(name) && !setting.equals(required)) {
                    throw new DatabaseFailure(
                            "the database does not keep the settings of a connection: %s is %s, not %s. %s"
                                    .formatted(
                                            name, setting, required, isPooled ? byPooler() : DatabaseFailure.CONNECT));
                }
                missing.remove(name);
            }
        }
        if (!missing.isEmpty()) {
            throw new DatabaseFailure("the database has no setting %s; PostgreSQL 15 or newer is required"
                    .formatted(missing.keySet().iterator().next()));
        }
    }
}
