package io.agentworkspace.engine.kernel.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each kind of statement has its own time limit, and the connection works after a statement is cut off. */
@Tag("slow")
class TimeLimitsTest {
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(2);

    private static Db db(Duration read, Duration write, Duration bulk) {
        var postgres = TestDatabase.postgres();
        return new Db(
                postgres.jdbcUrl(),
                postgres.user(),
                postgres.password(),
                1,
                new TimeLimits(Duration.ofMinutes(2), read, write, bulk));
    }

    private static Statement sleep(Db db, int seconds) {
        return db.sql("SELECT pg_sleep(:seconds)").set("seconds", seconds);
    }

    private static boolean read(Db db, int seconds) {
        return sleep(db, seconds).one(_ -> true).orElseThrow();
    }

    private static boolean inTransaction(Db db, int seconds) {
        db.limited(db.sql("SELECT " + Db.LIMITS)).one(_ -> true);
        return read(db, seconds);
    }

    private static boolean write(Db db, int seconds) {
        return db.transaction(() -> inTransaction(db, seconds));
    }

    private static boolean bulk(Db db, int seconds) {
        return db.bulk(() -> inTransaction(db, seconds));
    }

    private static void assertCutOff(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(Problem.class, problem -> {
            assertThat(problem.failure()).isEqualTo(Failure.UNAVAILABLE);
            assertThat(problem.note()).startsWith("this took the database too long");
        });
    }

    @Test
    void aReadHasTheShortest() {
        try (var db = db(SHORT, LONG, LONG)) {
            assertCutOff(() -> read(db, 600));
            assertThat(write(db, 2)).isTrue();
            assertThat(bulk(db, 2)).isTrue();
            assertThat(read(db, 0)).isTrue();
        }
    }

    @Test
    void aWriteHasItsOwn() {
        try (var db = db(LONG, SHORT, LONG)) {
            assertCutOff(() -> write(db, 600));
            assertThat(read(db, 2)).isTrue();
            assertThat(write(db, 0)).isTrue();
        }
    }

    /** This statement runs longer than the usual limit for a silent database: 1 s, and 2 s more. */
    @Test
    void whatEndsMuchMayTakeLonger() {
        try (var db = db(SHORT, SHORT, LONG)) {
            assertThat(bulk(db, 5)).isTrue();
            assertCutOff(() -> write(db, 600));
        }
        try (var db = db(SHORT, SHORT, SHORT)) {
            assertCutOff(() -> bulk(db, 600));
        }
    }
}
