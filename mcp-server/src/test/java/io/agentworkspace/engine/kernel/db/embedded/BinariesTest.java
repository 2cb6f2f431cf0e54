package io.agentworkspace.engine.kernel.db.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
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
        var home = directory.programs(Binaries.VERSION);
        copyPrograms(home);
        var program = Binaries.in(directory).program("initdb");
        var original = Files.readAllBytes(program);
        var unpacked = Files.getLastModifiedTime(program);
        assertThat(Files.getLastModifiedTime(Binaries.in(directory).program("initdb")))
                .isEqualTo(unpacked);

        Files.write(program, new byte[original.length]);
        assertThat(Binaries.isIntact(home)).as("with zeros").isFalse();
        Files.write(program, Arrays.copyOf(original, 100));
        assertThat(Binaries.isIntact(home)).as("with a short file").isFalse();
        Files.write(program, original);
        assertThat(Binaries.isIntact(home)).isTrue();
        Files.delete(program.resolveSibling("postgres"));
        assertThat(Binaries.isIntact(home)).as("without a file").isFalse();

        Files.write(program, Arrays.copyOf(original, 100));
        Files.writeString(home.resolve("checksums"), "");
        assertThat(Binaries.in(directory).program("postgres")).isExecutable();
        assertThat(program).hasBinaryContent(original).isExecutable();
    }

    /** As a package has them; what is damaged there is not used. */
    @Test
    void shippedProgramsAreCopied(@TempDir Path folder) throws IOException {
        assumeTrue(Binaries.archiveName().isPresent(), "no embedded PostgreSQL for this system");
        var shipped = Files.createDirectory(folder.resolve("shipped"));
        var programs = new DataDirectory(shipped).programs(Binaries.VERSION);
        copyPrograms(programs);
        var note = Files.writeString(programs.resolve("shipped"), "");
        Files.writeString(programs.resolve("checksums"), Binaries.checksums(programs));
        var copied = Binaries.in(new DataDirectory(Files.createDirectory(folder.resolve("one"))), shipped);
        assertThat(copied.program("postgres")).isExecutable();
        assertThat(copied.home().resolve("shipped")).exists();

        Files.delete(note);
        var unpacked = Binaries.in(new DataDirectory(Files.createDirectory(folder.resolve("two"))), shipped);
        assertThat(unpacked.program("postgres")).isExecutable();
        assertThat(Binaries.isIntact(unpacked.home())).isTrue();
    }

    /** Copies what all tests share, and may not damage. */
    private static void copyPrograms(Path home) throws IOException {
        var link = Files.createDirectory(home.resolveSibling("linked"));
        UnpackedOnce.into(link);
        var shared = new DataDirectory(link).programs(Binaries.VERSION).toRealPath();
        try (var all = Files.walk(shared)) {
            for (var path : all.toList()) {
                Files.copy(path, home.resolve(shared.relativize(path)), COPY_ATTRIBUTES, NOFOLLOW_LINKS);
            }
        }
    }
}
