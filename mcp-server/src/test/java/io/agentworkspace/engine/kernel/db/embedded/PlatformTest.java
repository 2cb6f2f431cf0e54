package io.agentworkspace.engine.kernel.db.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Programs;
import io.agentworkspace.engine.testing.Repository;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The names are those of JVMs on these systems, and of the artifacts that Maven resolves there. */
class PlatformTest {
    @ParameterizedTest
    @CsvSource({
        "Linux, aarch64, postgres-linux-arm_64.txz, linux-arm64v8",
        "Mac OS X, x86_64, postgres-darwin-x86_64.txz, darwin-amd64",
        "Mac OS X, aarch64, postgres-darwin-arm_64.txz, darwin-arm64v8",
    })
    void theBuildResolvesTheArchiveThatTheEngineUnpacks(
            String system, String processor, String archive, String artifact) {
        assertThat(Platform.of(system, processor)).hasValue(new Platform("/" + archive));
        var os = system.equals("Linux") ? "<name>Linux</name>" : "<family>mac</family>";
        assertThat(Repository.text(Repository.file("pom.xml"))).contains("""
                      <activation><os>%s<arch>%s</arch></os></activation>
                      <properties><postgres.platform>%s</postgres.platform></properties>
                """.formatted(os, processor, artifact));
    }

    @Test
    void otherSystemsHaveNone() {
        assertThat(Platform.of("Windows 11", "amd64")).isEmpty();
        assertThat(Platform.of("Linux", "riscv64")).isEmpty();
    }

    /** Perl is here, too. The session of a process is the fourth number after its name. */
    @Test
    void perlStartsAProgramInASessionOfItsOwn() throws Exception {
        Programs.require("perl");
        var command = new ArrayList<>(List.of(Platform.NEW_SESSION_ON_MACOS.split(" ")));
        command.addAll(List.of("tail", "-f", "/dev/null"));
        var process = PostgresProgram.prepare(command).start();
        try {
            var stat = Path.of("/proc", Long.toString(process.pid()), "stat");
            Awaitility.await().until(() -> Files.readString(stat).contains(" (tail) "));
            assertThat(Files.readString(stat).replaceFirst(".*\\) ", "").split(" ")[3])
                    .isEqualTo(Long.toString(process.pid()));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
