package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process as its caller sees it: what it prints where, and how it ends. */
class MainTest {
    @TempDir
    static Path dataDir;

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aSignalEndsItWithZeroAndAnotherDoesNoHarm(String signal) throws Exception {
        Process engine = engine("--port", "0", "--data-dir", dataDir.toString());
        try {
            assertThat(firstLineAfterTheKey(engine)).startsWith("ready http://127.0.0.1:");
            send(signal, engine);
            send(signal, engine);
            assertThat(engine.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(engine.exitValue()).isZero();
            assertThat(engine.inputReader().readLine()).isNull();
            assertThat(dataDir.resolve("postgres/postmaster.pid")).doesNotExist();
        } finally {
            engine.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--port=eighty", "--prot=1", "--rate-limit=fast"})
    void aSettingThatCannotBeUnderstoodIsOneLineAndExitCodeTwo(String flag) throws Exception {
        Process engine = engine(flag);
        assertThat(engine.errorReader().lines()).singleElement().asString().startsWith("engine: ");
        assertThat(engine.waitFor()).isEqualTo(2);
        assertThat(engine.inputReader().readLine()).isNull();
    }

    @Test
    void aDataDirectoryThatCannotBeUsedIsOneLineAndExitCodeOne() throws Exception {
        Process engine = engine("--data-dir", "/dev/null/engine");
        assertThat(engine.errorReader().lines())
                .singleElement()
                .asString()
                .startsWith("engine: ")
                .contains("/dev/null/engine");
        assertThat(engine.waitFor()).isEqualTo(1);
    }

    /** The frame with the key is shown at the first start only. */
    private static String firstLineAfterTheKey(Process engine) throws Exception {
        String line = engine.inputReader().readLine();
        while (line.startsWith("+") || line.startsWith("|")) {
            line = engine.inputReader().readLine();
        }
        return line;
    }

    private static Process engine(String... flags) throws Exception {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(flags));
        return new ProcessBuilder(command).start();
    }

    private static void send(String signal, Process engine) throws Exception {
        new ProcessBuilder("kill", "-" + signal, Long.toString(engine.pid()))
                .start()
                .waitFor();
    }
}
