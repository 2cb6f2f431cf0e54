package io.agentworkspace.engine.kernel.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which errors close a connection of the pool. */
class LostConnectionsTest {
    private final Db db = TestDatabase.connect(TestDatabase.postgres().jdbcUrl(), 1);

    @AfterEach
    void close() {
        db.close();
    }

    private long connection() {
        return db.sql("SELECT pg_backend_pid() AS id")
                .one(row -> row.number("id"))
                .orElseThrow();
    }

    /** As a coordinator reports that it does not reach another server. */
    @Test
    void anErrorThatTheServerReportsKeepsIt() {
        var before = connection();
        for (var error : List.of(
                "'no other server' USING ERRCODE = '08006'",
                "'failure on connection marked as essential: db1:5432' USING ERRCODE = 'XX000'")) {
            var raise = "DO $$ BEGIN RAISE EXCEPTION " + error + "; END $$";
            assertThatThrownBy(() -> db.sql(raise).run())
                    .isInstanceOfSatisfying(
                            Problem.class,
                            problem -> assertThat(problem.failure()).isEqualTo(Failure.UNAVAILABLE));
        }
        assertThat(connection()).isEqualTo(before);
    }

    @Test
    void theEndOfItsServerProcessClosesIt() {
        var before = connection();
        TestDatabase.db()
                .sql("SELECT pg_terminate_backend(CAST(:id AS integer))")
                .set("id", before)
                .one(_ -> true);
        long after;
        try {
            after = connection();
        } catch (Problem lost) { // Unless the pool has looked at it before.
            after = connection();
        }
        assertThat(after).isNotEqualTo(before);
    }
}
