package io.agentworkspace.engine.kernel.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.agentworkspace.engine.model.problem.DatabaseState;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.testing.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the engine requires of a connection is set and compared with what is in force. Poolers: {@code PoolerTest}. */
class SessionSettingsTest {
    private static final SessionSettings FIVE_SECONDS = new SessionSettings(Map.of("statement_timeout", "5000"));

    private static Connection connection() throws SQLException {
        return DriverManager.getConnection(TestDatabase.url());
    }

    @Test
    void anotherValueIsRefused() throws SQLException {
        try (var connection = connection();
                var statement = connection.createStatement()) {
            statement.execute(FIVE_SECONDS.statement());
            assertThatCode(() -> FIVE_SECONDS.check(connection, false)).doesNotThrowAnyException();
            statement.execute("SET statement_timeout = '7s'");
            assertThatExceptionOfType(DatabaseFailure.class)
                    .isThrownBy(() -> FIVE_SECONDS.check(connection, false))
                    .withMessage(
                            "the database does not keep the settings of a connection: statement_timeout is 7000, not 5000. "
                                    + DatabaseFailure.CONNECT);
        }
    }

    @Test
    void aSettingThatTheDatabaseDoesNotHaveIsRefused() throws SQLException {
        try (var connection = connection()) {
            assertThatExceptionOfType(DatabaseFailure.class)
                    .isThrownBy(() -> new SessionSettings(Map.of("no_such_setting", "on")).check(connection, false))
                    .withMessageContaining("no setting no_such_setting");
        }
    }

    /** An administrator may have set them for all connections of a role. */
    @Test
    void theValuesOfTheRoleAreReplaced() {
        TestDatabase.db().sql("CREATE ROLE hasty LOGIN PASSWORD 'hasty'").run();
        TestDatabase.db().sql("ALTER ROLE hasty SET statement_timeout = '1s'").run();
        TestDatabase.db()
                .sql("ALTER ROLE hasty SET plan_cache_mode = 'force_custom_plan'")
                .run();
        try (var db = new Db(TestDatabase.postgres().jdbcUrl(), "hasty", "hasty", 1)) {
            db.awaitConnection();
            assertThat(db.sql("""
                            SELECT current_setting('statement_timeout') || ' ' || current_setting('plan_cache_mode') AS settings
                            """).one(row -> row.text("settings"))).contains("5s force_generic_plan");
        }
    }

    /** A pooler may come in between while the engine runs. The name of a prepared statement may then be that of another one. */
    @Test
    void oncePreparedStatementsAreNotItsOwnTheDatabaseIsUsedNoMore() {
        var postgres = TestDatabase.postgres();
        try (var db = new Db(postgres.jdbcUrl(), postgres.user(), postgres.password(), 1)) {
            for (var i = 0; i < 3; i++) {
                assertThat(one(db, "SELECT 1 AS one")).isEqualTo(1);
            }
            db.sql("DO 'BEGIN EXECUTE ''DEALLOCATE ALL''; END'").run();
            for (var statement : List.of("SELECT 1 AS one", "SELECT 2 AS one")) {
                assertThatExceptionOfType(Problem.class)
                        .isThrownBy(() -> db.transaction(
                                () -> one(db, statement))) // Outside of one the driver prepares it again.
                        .withMessageContaining("shares its connections")
                        .matches(problem -> problem.failure() == Failure.UNAVAILABLE);
            }
            assertThat(db.state()).isEqualTo(DatabaseState.UNREACHABLE);
        }
    }

    private static long one(Db db, String statement) {
        return db.sql(statement).one(row -> row.number("one")).orElseThrow();
    }
}
