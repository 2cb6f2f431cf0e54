package io.agentworkspace.engine.kernel.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileDescriptorsTest {
    @ParameterizedTest
    @CsvSource({"20000, 15000", "1024, 724", "310, 16", "9223372036854775807, 2147483647"})
    void connectionsLeaveSomeToEverythingElse(long all, long connections) {
        assertThat(FileDescriptors.forConnections(all)).isEqualTo(connections);
    }
}
