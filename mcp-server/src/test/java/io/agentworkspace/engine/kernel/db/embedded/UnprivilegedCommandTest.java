package io.agentworkspace.engine.kernel.db.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Root without user namespaces: PostgreSQL runs as another account, here as the owner of its directory. */
@Tag("slow")
class UnprivilegedCommandTest {
    @TempDir
    Path dataDir;

    @BeforeEach
    void asRootWithADirectoryOfNobody() throws Exception {
        assumeTrue(UnprivilegedCommand.runningAsRoot(), "only root can act for others");
        Path cluster = Files.createDirectory(dataDir.resolve("postgres"));
        Files.setOwner(
                cluster, cluster.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
    }

    @Test
    void theServerRunsAsTheOwnerOfItsData() throws Exception {
        Files.setPosixFilePermissions(dataDir, PosixFilePermissions.fromString("rwx--x--x"));
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            new Accounts(server).create().add();
            Path process = Path.of(
                    "/proc",
                    Long.toString(PidFile.find(dataDir.resolve("postgres"))
                            .orElseThrow()
                            .pid()));
            assertThat(Files.getOwner(process).getName()).isEqualTo("nobody");
            assertThat(mode(dataDir)).as("only the server's group has access").isEqualTo("rwx--x---");
            assertThat(Files.getAttribute(dataDir, "unix:gid")).isEqualTo(DataDirectory.NOGROUP);
            assertThat(mode(dataDir.resolve("lock"))).isEqualTo("rw-------");
            assertThat(mode(dataDir.resolve("postgres.log"))).isEqualTo("rw-------");
        }
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            assertThat(new Accounts(server).count()).isOne();
        }
    }

    @Test
    void aDirectoryThatItCannotEnterIsNamed() throws Exception {
        Path closed = Files.createDirectory(dataDir.resolve("closed"));
        Path inside = Files.createDirectory(closed.resolve("data"));
        Files.move(dataDir.resolve("postgres"), inside.resolve("postgres"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        assertThatThrownBy(() -> EmbeddedPostgres.start(inside))
                .isInstanceOf(PostgresFailure.class)
                .hasMessageContaining(inside.toString())
                .hasMessageNotContaining("\n");
    }

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
