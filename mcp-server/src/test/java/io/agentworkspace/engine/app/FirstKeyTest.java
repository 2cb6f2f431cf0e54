package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstKeyTest {
    private static final String KEY = "ek_0123456789ab_0123456789abcdefghijABCDEFGHIJ012345";

    @Test
    void theFrameIsStraightAndHoldsTheKey() {
        String frame = new FirstKey(KEY).framed();
        assertThat(frame.lines().map(String::length).distinct()).hasSize(1);
        assertThat(frame).contains("|  " + KEY + "  |");
    }

    @Test
    void itsFileIsItsOwnersAlone(@TempDir Path dataDir) throws Exception {
        new FirstKey(KEY).keepIn(dataDir);
        Path file = dataDir.resolve("first-api-key");
        assertThat(file).hasContent(KEY);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aLogNeverShowsIt() {
        assertThat(new FirstKey(KEY).toString()).doesNotContain(KEY);
    }
}
