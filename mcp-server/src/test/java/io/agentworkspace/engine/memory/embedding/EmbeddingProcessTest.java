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
    private static Path directory;

    private static Reply call(EngineProcess engine, String service, String arguments) throws IOException {
        var json = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST.call(engine.url(), engine.key(), service, json).ok();
    }

    private static void fill(EngineProcess engine, String bank) throws IOException {
        call(engine, "MB_Create", "{'vx':{'name':'%s'}}".formatted(bank));
        call(engine, "MB_Store", "{'target':{'bank':'%s'},'content':'The ferry leaves at noon.'}".formatted(bank));
    }

    private static String mode(EngineProcess engine, String bank) throws IOException {
        return call(engine, "MB_Search", "{'target':{'bank':'%s'},'content':'when does the ship sail'}".formatted(bank))
                .at("/mode")
                .asString();
    }

    @Test
    void aLongClassPathDoesNoHarmInTheEnvironment() throws IOException {
        assertThat(System.getProperty("java.class.path").length()).isGreaterThan(LONG);
        try (var engine = EngineProcess.start(directory, "--embedding", "builtin")) {
            fill(engine, "a");
            Awaitility.await().until(() -> mode(engine, "a").equals("hybrid"));
            assertThat(engine.stop()).isZero();
        }
    }

    @Test
    void onALongCommandLineMemoriesAreFoundByTheirWordsOnly() throws IOException {
        try (var engine = EngineProcess.start(
                directory,
                "--embedding",
                "builtin",
                "--allowed-origins",
                "https://%s.example".formatted("x".repeat(LONG)))) {
            fill(engine, "b");
            assertThat(mode(engine, "b")).isEqualTo("text");
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
