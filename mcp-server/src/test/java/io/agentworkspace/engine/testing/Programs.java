package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Servers of others that tests run, installed as packages of the system. */
public final class Programs {
    private Programs() {}

    /** Skips the test if the program is missing; in CI it is required. */
    public static Path require(String name) {
        var found = Stream.concat(
                        Stream.of(System.getenv("PATH").split(":")), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
        assertThat(found.isPresent() || System.getenv("CI") == null)
                .as("install %s first", name)
                .isTrue();
        assumeTrue(found.isPresent(), name + " is not installed");
        return found.orElseThrow();
    }
}
