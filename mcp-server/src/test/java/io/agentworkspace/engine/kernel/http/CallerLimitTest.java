package io.agentworkspace.engine.kernel.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.identity.account.RateStore;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.web.server.CallerLimit;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;

/**
 * The calls that several replicas accept, with settlements triggered by hand. Buckets refill so slowly that the
 * test's duration does not matter.
 */
class CallerLimitTest {
    private static final RequestRate RATE = new RequestRate(1, 1_000);
    private static final RateStore STORE = new RateStore(TestDatabase.db());
    private static final HttpFields.Mutable NOWHERE = HttpFields.build();

    /** An upper bound for what refills during a test, and for the tolerance of a settlement. */
    private static final long GRACE = 30;

    private final CallerLimit one = replica();
    private final CallerLimit two = replica();
    private final Caller caller = caller(4_711);

    private static CallerLimit replica() {
        return new CallerLimit(RATE, Clock.systemUTC());
    }

    private static Caller caller(long tenant) {
        return new Caller(tenant, "t", 1, "ann", Role.MEMBER, Set.of("*"), "key:" + UUID.randomUUID(), null);
    }

    private void take(CallerLimit replica, int tokens) {
        for (var i = 0; i < tokens; i++) {
            replica.take(caller, NOWHERE);
        }
    }

    private long left(CallerLimit replica) {
        return replica.left(caller).getFirst().remaining();
    }

    private long reset(CallerLimit replica) {
        return replica.left(caller).getFirst().resetSeconds();
    }

    /** Asserts that no more is left than what was refilled during the test. */
    private void assertRefused(CallerLimit replica) {
        assertThatThrownBy(() -> take(replica, (int) GRACE))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("too many requests");
    }

    private long owed() {
        return TestDatabase.db()
                .sql(
                        "SELECT extract(epoch FROM full_at - now())::bigint AS n FROM rate_spent WHERE principal = :principal")
                .set("principal", caller.principal())
                .one(row -> row.number("n"))
                .orElse(0L);
    }

    @Test
    void whatOneLetThroughIsMissingAtTheOther() {
        take(one, 600);
        one.settle(STORE);
        take(two, 1);
        assertThat(left(two)).isGreaterThan(900);
        two.settle(STORE);
        assertThat(left(two)).isBetween(399L, 399 + GRACE);
        take(two, 300);
        two.settle(STORE);
        one.settle(STORE);
        assertThat(left(one)).isBetween(99L, 99 + GRACE);
        assertThat(left(two)).isBetween(99L, 99 + GRACE);
    }

    /** Calls beyond the limit, here twice the limit, are debts that are paid off first. */
    @Test
    void whatWasTooMuchIsOwed() {
        take(one, 1_000);
        take(two, 1_000);
        one.settle(STORE);
        two.settle(STORE);
        one.settle(STORE);
        for (var replica : new CallerLimit[] {one, two}) {
            assertThat(left(replica)).isZero();
            assertThat(reset(replica)).isBetween(2_000 - GRACE, 2_000L);
            assertThatThrownBy(() -> take(replica, 1))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            problem ->
                                    assertThat(problem.retryAfter()).isGreaterThan(Duration.ofSeconds(1_000 - GRACE)));
        }
    }

    @Test
    void onlySoMuchIsOwedAtMost() {
        for (var i = 0; i < 30; i++) {
            var replica = replica();
            take(replica, 1_000);
            replica.settle(STORE);
        }
        assertThat(owed()).isBetween(26_000 - GRACE, 26_000L);
    }

    @Test
    void aloneNothingIsChangedByIt() {
        var unsettled = replica();
        var random = new Random(1);
        for (var round = 0; round < 20; round++) {
            var tokens = random.nextInt(45);
            take(one, tokens);
            take(unsettled, tokens);
            one.settle(STORE);
            assertThat(left(one)).isBetween(left(unsettled) - GRACE, left(unsettled) + GRACE);
        }
    }

    @Test
    void othersAreCountedApart() {
        var other = caller(4_712).as(caller.principal());
        take(one, 1_000);
        one.settle(STORE);
        assertRefused(one);
        one.take(other, NOWHERE);
        two.take(other, NOWHERE);
        one.settle(STORE);
        two.settle(STORE);
        assertThat(two.left(other).getFirst().remaining()).isGreaterThan(990);
    }

    /** The table is unlogged: PostgreSQL empties it after a crash. */
    @Test
    void whereTheTableIsLostNobodyIsLockedOut() {
        take(one, 1_000);
        one.settle(STORE);
        TestDatabase.db()
                .sql("DELETE FROM rate_spent WHERE principal = :principal")
                .set("principal", caller.principal())
                .run();
        take(two, 10);
        two.settle(STORE);
        one.settle(STORE);
        assertThat(left(two)).isGreaterThan(980);
        assertThat(reset(one)).isLessThanOrEqualTo(1_010);
    }

    @Test
    void whatCouldNotBeToldIsForgotten() {
        take(one, 500);
        TestDatabase.db().transaction(() -> {
            assertThatThrownBy(() -> TestDatabase.db().sql("SELECT 1 / 0").one(_ -> 1))
                    .isInstanceOf(SqlFailure.class);
            assertThatThrownBy(() -> one.settle(STORE)).isInstanceOf(SqlFailure.class);
            return true;
        });
        one.settle(STORE);
        assertThat(owed()).isLessThan(1);
        assertThat(left(one)).isBetween(500L, 500 + GRACE);
    }

    @Test
    void aFullBucketIsClearedAwayAndOthersAreNot() {
        take(one, 500);
        one.settle(STORE);
        STORE.purge(Instant.now().plusSeconds(3_600));
        assertThat(owed()).isGreaterThan(500 - GRACE);
        TestDatabase.db()
                .sql("UPDATE rate_spent SET full_at = now() - INTERVAL '1 s' WHERE principal = :principal")
                .set("principal", caller.principal())
                .run();
        STORE.purge(Instant.now().plusSeconds(3_600));
        assertThat(TestDatabase.db()
                        .sql("SELECT count(*) AS n FROM rate_spent WHERE principal = :principal")
                        .set("principal", caller.principal())
                        .one(row -> row.number("n")))
                .contains(0L);
    }

    @Test
    void whereNothingIsLimitedNothingIsWritten() {
        var free = new CallerLimit(RequestRate.OFF, Clock.systemUTC());
        take(free, 10);
        free.settle(STORE);
        assertThat(owed()).isZero();
        assertThat(free.left(caller)).isEmpty();
    }
}
