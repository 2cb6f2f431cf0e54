package io.agentworkspace.engine.db.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinariesTest {
    @Test
    void theVersionIsTheArchives() {
        var name = Binaries.archiveName();
        assumeTrue(name.isPresent(), "no embedded PostgreSQL for this system");
        assertThat(Binaries.class.getResource(name.orElseThrow()).toString())
                .contains("-" + Binaries.VERSION + ".jar!");
    }

    /** After a power failure, files may be short or full of zeros, although the directory has its final name. */
    @Test
    void damagedProgramsAreUnpackedAgain(@TempDir Path folder) throws IOException {
        assumeTrue(Binaries.archiveName().isPresent(), "no embedded PostgreSQL for this system");
        var directory = new DataDirectory(folder);
        var program = Binaries.in(directory).program("initdb");
        var original = Files.readAllBytes(program);
        var unpacked = Files.getLastModifiedTime(program);
        assertThat(Files.getLastModifiedTime(Binaries.in(directory).program("initdb")))
                .isEqualTo(unpacked);

        Files.write(program, new byte[original.length]);
        assertThat(Binaries.in(directory).program("initdb"))
                .hasBinaryContent(original)
                .isExecutable();

        Files.write(program, Arrays.copyOf(original, 100));
        Files.delete(program.resolveSibling("postgres"));
        Files.writeString(directory.programs(Binaries.VERSION).resolve("checksums"), "");
        assertThat(Binaries.in(directory).program("postgres")).isExecutable();
        assertThat(program).hasBinaryContent(original);
    }
}
