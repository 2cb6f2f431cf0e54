package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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
        Process engine = EngineProcess.spawn("--port", "0", "--data-dir", dataDir.toString());
        try {
            assertThat(EngineProcess.lineAfterTheKey(engine)).startsWith("ready http://127.0.0.1:");
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
        Process engine = EngineProcess.spawn(flag);
        assertThat(engine.errorReader().lines()).singleElement().asString().startsWith("engine: ");
        assertThat(engine.waitFor()).isEqualTo(2);
        assertThat(engine.inputReader().readLine()).isNull();
    }

    @Test
    void aDataDirectoryThatCannotBeUsedIsOneLineAndExitCodeOne() throws Exception {
        Process engine = EngineProcess.spawn("--data-dir", "/dev/null/engine");
        assertThat(engine.errorReader().lines())
                .singleElement()
                .asString()
                .startsWith("engine: ")
                .contains("/dev/null/engine");
        assertThat(engine.waitFor()).isEqualTo(1);
    }

    private static void send(String signal, Process engine) {
        EngineProcess.signal(signal, engine.pid());
    }
}
