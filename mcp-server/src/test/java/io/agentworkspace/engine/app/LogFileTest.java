package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.agentworkspace.engine.testing.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log file has a limit, in each format. */
class LogFileTest {
    private static final long LIMIT = 6L * (10 << 20);
    private static final int LINE = 64 << 10;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"text-file", "json-file"})
    void theOldestLinesGo(String appender) throws Exception {
        var context = new LoggerContext();
        context.putProperty("engine.log", appender);
        context.setMDCAdapter(new LogbackMDCAdapter());
        context.putProperty(
                "engine.log." + appender, folder.resolve("engine.log").toString());
        var configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(
                Repository.file("mcp-server/src/main/resources/logback.xml").toFile());
        try {
            var log = context.getLogger("test");
            for (var i = 0L; i <= 2 * LIMIT / LINE; i++) {
                log.info("{} {}", "x".repeat(LINE), i);
            }
        } finally {
            context.stop();
        }
        assertThat(files()).hasSize(6);
        assertThat(files().stream().mapToLong(LogFileTest::size).sum()).isBetween(LIMIT / 2, LIMIT + 6 * 2 * LINE);
        assertThat(Files.readString(folder.resolve("engine.log"))).contains(" " + 2 * LIMIT / LINE);
    }

    private List<Path> files() throws IOException {
        try (var files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
