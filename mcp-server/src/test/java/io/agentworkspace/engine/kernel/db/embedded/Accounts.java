package io.agentworkspace.engine.kernel.db.embedded;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A table of rows to count, on a running server. */
record Accounts(EmbeddedPostgres server) {

    Accounts create() throws SQLException {
        run("CREATE TABLE IF NOT EXISTS account (id bigserial PRIMARY KEY)");
        return this;
    }

    /** Adds a row and returns when it is acknowledged. */
    void add() throws SQLException {
        run("INSERT INTO account DEFAULT VALUES");
    }

    long count() throws SQLException {
        return Long.parseLong(ask("SELECT count(*) FROM account"));
    }

    /** Returns the number of running queries of other connections. */
    long queries() throws SQLException {
        return Long.parseLong(
                ask("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series%'"
                        + " AND pid <> pg_backend_pid()"));
    }

    String ask(String query) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }

    void run(String command) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(command);
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
    }
}
