package io.agentworkspace.engine.db.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

class BinariesTest {
    @Test
    void theVersionIsTheArchives() {
        var name = Binaries.archiveName();
        assumeTrue(name.isPresent(), "no embedded PostgreSQL for this system");
        assertThat(Binaries.class.getResource(name.orElseThrow()).toString())
                .contains("-" + Binaries.VERSION + ".jar!");
    }
}
