package io.agentworkspace.engine.kernel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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

    @Test
    void theFailureIsThrownIfThereIsNothingElse() {
        assertThatThrownBy(() -> turns.each(List.of(1L, 2L), tenant -> {
                    throw new IllegalStateException("tenant " + tenant);
                }))
                .hasMessage("tenant 2");
        turns.each(List.of(), served::add);
        assertThat(served).isEmpty();
    }
}
