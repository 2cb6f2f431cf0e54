package io.agentworkspace.engine.kernel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.web.server.CapturedLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/** Who has a turn, in which order, and what a failure of one changes for the others. */
class TenantTurnsTest {
    private final TenantTurns turns = new TenantTurns("the test");
    private final List<Long> served = new ArrayList<>();

    @Test
    void theNextRoundBeginsAfterTheTenantThatTheLastOneEndedWith() {
        turns.each(List.of(3L, 1L, 2L), tenant -> served.add(tenant) && tenant < 2);
        turns.each(List.of(3L, 1L), tenant -> served.add(tenant));
        turns.each(List.of(3L, 1L), tenant -> served.add(tenant));
        assertThat(served).containsExactly(1L, 2L, 3L, 1L, 3L, 1L);
    }

    @Test
    void aTenantWhoseWorkFailsDoesNotStopTheOthers() {
        turns.each(List.of(1L, 2L, 3L), tenant -> {
            if (tenant != 2) {
                throw new IllegalStateException("tenant " + tenant);
            }
            return served.add(tenant);
        });
        assertThat(served).containsExactly(2L);
    }

    /** It is tried twice a second. */
    @Test
    void aTenantWhoseWorkKeepsFailingIsWarnedOfOnce() {
        try (var log = new CapturedLog()) {
            for (var round = 0; round < 3; round++) {
                var isMended = round == 1;
                LongPredicate work = tenant -> {
                    if (tenant == 1 && !isMended) {
                        throw new IllegalStateException("broken");
                    }
                    return true;
                };
                turns.each(List.of(1L, 2L), work);
                turns.each(List.of(1L, 2L), work);
            }
            assertThat(log.text().split("the test: not for the tenant 1"))
                    .as("two warnings")
                    .hasSize(3);
        }
    }

    /** Each would wait until its connection fails. */
    @Test
    void whileTheDatabaseIsAwayOnlyTwoTenantsAreTried() {
        assertThatThrownBy(() -> TenantTurns.take(List.of(1L, 2L, 3L, 4L), tenant -> {
                    served.add(tenant);
                    throw Problem.unavailable();
                }))
                .isInstanceOf(Problem.class);
        assertThatThrownBy(() -> turns.each(List.of(5L, 6L, 7L, 8L), tenant -> {
                    served.add(tenant);
                    throw Problem.unavailable();
                }))
                .isInstanceOf(Problem.class);
        assertThat(served).containsExactly(1L, 2L, 5L, 6L);
    }

    @Test
    void theFailureIsThrownIfThereIsNothingElse() {
        assertThatThrownBy(() -> turns.each(List.of(1L, 2L), tenant -> {
                    throw new IllegalStateException("tenant " + tenant);
                }))
                .hasMessage("tenant 2");
        turns.each(List.of(), served::add);
        assertThat(served).isEmpty();
    }

    @Test
    void eachHasAPortionInTurn() {
        var done = new ArrayList<Long>();
        TenantTurns.take(List.of(1L, 2L, 3L), tenant -> {
            done.add(tenant);
            return tenant == 2 && done.size() < 5;
        });
        assertThat(done).containsExactly(1L, 2L, 3L, 2L, 2L);
    }

    @Test
    void aFailureIsThrownAfterTheWorkOfTheOthers() {
        var done = new ArrayList<Long>();
        assertThatThrownBy(() -> TenantTurns.take(List.of(1L, 2L, 3L, 4L), tenant -> {
                    if (tenant % 2 == 1) {
                        throw new IllegalStateException("tenant " + tenant);
                    }
                    done.add(tenant);
                    return false;
                }))
                .hasMessage("tenant 1")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .singleElement()
                        .satisfies(other -> assertThat(other).hasMessage("tenant 3")));
        assertThat(done).containsExactly(2L, 4L);
    }

    /** Returns a claim of tenants that have as much work as their number, and fail if that is negative. */
    private static TenantTurns.Claim<Long> working() {
        var left = new HashMap<Long, Long>();
        return (tenant, most) -> {
            if (tenant < 0) {
                throw new IllegalStateException("tenant " + tenant);
            }
            var some = Math.min(most, left.getOrDefault(tenant, tenant));
            left.put(tenant, left.getOrDefault(tenant, tenant) - some);
            return Collections.nCopies((int) some, tenant);
        };
    }

    @Test
    void portionsAreClaimedInTurnUntilThereIsEnough() {
        assertThat(TenantTurns.claim(List.of(9L, 1L, 3L), 8, 2, working()))
                .containsExactly(9L, 9L, 1L, 3L, 3L, 9L, 9L, 3L);
        assertThat(TenantTurns.claim(List.of(9L, 1L), 3, 2, working())).containsExactly(9L, 9L, 1L);
        assertThat(TenantTurns.claim(List.of(1L, 0L), 3, 2, working())).containsExactly(1L);
    }

    @Test
    void aClaimFailsOnlyIfNobodyElseHasWork() {
        assertThat(TenantTurns.claim(List.of(-1L, 2L), 1, 1, working())).containsExactly(2L);
        assertThatThrownBy(() -> TenantTurns.claim(List.of(0L, -1L), 1, 1, working()))
                .hasMessage("tenant -1");
    }
}
