package io.agentworkspace.engine.memory.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Repository;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The model in an engine of its own: its runtime ends a process whose command line is long. */
@Tag("slow")
class EmbeddingProcessTest {
    private static final int LONG = 4_000;

    @TempDir
    private Path directory;

    private static Reply call(EngineProcess engine, String service, String arguments) throws IOException {
        var json = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST.call(engine.url(), engine.key(), service, json).ok();
    }

    private static void fill(EngineProcess engine) throws IOException {
        call(engine, "MB_Create", "{'vx':{'name':'b'}}");
        call(engine, "MB_Store", "{'target':{'bank':'b'},'content':'The ferry leaves at noon.'}");
    }

    private static String mode(EngineProcess engine) throws IOException {
        return call(engine, "MB_Search", "{'target':{'bank':'b'},'content':'when does the ship sail'}")
                .at("/mode")
                .asString();
    }

    @Test
    void aLongClassPathDoesNoHarmInTheEnvironment() throws IOException {
        assertThat(System.getProperty("java.class.path").length()).isGreaterThan(LONG);
        try (var engine = EngineProcess.start(directory)) {
            fill(engine);
            Awaitility.await().until(() -> mode(engine).equals("hybrid"));
            assertThat(engine.stop()).isZero();
        }
    }

    @Test
    void onALongCommandLineMemoriesAreFoundByTheirWordsOnly() throws IOException {
        try (var engine =
                EngineProcess.start(directory, "--allowed-origins", "https://%s.example".formatted("x".repeat(LONG)))) {
            fill(engine);
            assertThat(mode(engine)).isEqualTo("text");
            assertThat(engine.stop()).isZero();
        }
    }

    @Test
    void theLauncherKeepsTheClassPathOutOfTheCommandLine() throws IOException {
        assertThat(Files.readString(Repository.ROOT.resolve("engine")))
                .contains("export CLASSPATH")
                .doesNotContain("-cp \"${class_path");
    }
}
