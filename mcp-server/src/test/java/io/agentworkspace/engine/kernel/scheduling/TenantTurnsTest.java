package io.agentworkspace.engine.kernel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.web.server.CapturedLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
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
        assertThat(served).hasSize(4).endsWith(5L, 6L);
    }

    /** Of a cluster, the server of some tenants may be away. */
    @Test
    void thoseWhoseServerIsAwayDoNotStopTheOthers() {
        LongPredicate work = tenant -> {
            if (tenant > 1 && tenant < 9) {
                throw Problem.unavailable();
            }
            return served.add(tenant);
        };
        turns.each(LongStream.rangeClosed(1, 10).boxed().toList(), work);
        assertThat(served).containsExactly(1L, 9L, 10L);
        assertThatThrownBy(() -> turns.each(List.of(2L, 3L, 4L), work)).isInstanceOf(Problem.class);
        turns.each(List.of(2L, 3L, 4L, 11L), work);
        assertThat(served).as("it begins after those of the last round").contains(11L);
    }

    @Test
    void whatFailsForAllTogetherIsDoneForEach() {
        TenantTurns.together(Set.of(1L, 2L), served::addAll);
        assertThat(served).containsExactlyInAnyOrder(1L, 2L);
        assertThatThrownBy(() -> TenantTurns.together(Set.of(3L, 4L, 5L), some -> {
                    if (some.contains(4L)) {
                        throw new IllegalStateException("the server of 4");
                    }
                    served.addAll(some);
                }))
                .hasMessage("the server of 4");
        assertThat(served).contains(3L, 5L);
        assertThatThrownBy(() -> TenantTurns.together(Set.of(6L), some -> {
                    served.addAll(some);
                    throw Problem.unavailable();
                }))
                .isInstanceOf(Problem.class);
        assertThat(served).containsOnlyOnce(6L);
    }

    @Test
    void aDefectIsThrownRatherThanAnOutage() {
        LongPredicate work = tenant -> {
            throw tenant == 1 ? new IllegalStateException("a defect") : Problem.unavailable();
        };
        for (var tenants : List.of(List.of(1L, 2L), List.of(2L, 1L))) {
            assertThatThrownBy(() -> TenantTurns.take(tenants, work))
                    .hasMessage("a defect")
                    .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        }
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
        assertThat(done.subList(0, 3)).containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(done.subList(3, 5)).containsExactly(2L, 2L);
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
                .satisfies(e -> assertThat(List.of(e.getMessage(), e.getSuppressed()[0].getMessage()))
                        .containsExactlyInAnyOrder("tenant 1", "tenant 3"));
        assertThat(done).containsExactlyInAnyOrder(2L, 4L);
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
