package io.agentworkspace.engine.hubs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConformanceReportTest {
    private static final String DOCUMENT = """
            # Conformance

            ## Revision 2026-07-28: %d of 37 required scenarios, 37 behind the proxy

            ## Revision 2025-11-25: 30 of 30 required scenarios, 30 behind the proxy
            """;

    @Test
    void allIsSaidWhereAllArePassed() {
        var referee = ConformanceReport.of(DOCUMENT.formatted(37));
        assertThat(referee.summary())
                .isEqualTo("Passes all required scenarios of the protocol's referee:"
                        + " 37 of 37 (2026-07-28), 30 of 30 (2025-11-25).");
        assertThat(referee.markdown()).startsWith("# Conformance\n\n**" + referee.summary() + "**\n");
    }

    @Test
    void notAllIsSaidWhereOneIsNot() {
        assertThat(ConformanceReport.of(DOCUMENT.formatted(36)).summary())
                .isEqualTo("Passes 36 of 37 (2026-07-28), 30 of 30 (2025-11-25)"
                        + " of the required scenarios of the protocol's referee.");
    }
}
