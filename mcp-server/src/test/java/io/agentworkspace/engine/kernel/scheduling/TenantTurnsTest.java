package io.agentworkspace.engine.kernel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TenantTurnsTest {
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
}
