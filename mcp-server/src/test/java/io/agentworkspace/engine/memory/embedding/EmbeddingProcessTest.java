package io.agentworkspace.engine.memory.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The model in an engine of its own. */
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

    /** The runtime's telemetry would be written into the home folder, and it ended a process with a long command line. */
    @Test
    void theModelReportsNothingAndALongCommandLineDoesNoHarm() throws IOException {
        var home = Files.createDirectory(directory.resolve("home"));
        try (var engine = EngineProcess.start(
                directory,
                Map.of("HOME", home.toString(), "XDG_CACHE_HOME", ""),
                "--embedding",
                "builtin",
                "--allowed-origins",
                "https://%s.example".formatted("x".repeat(LONG)))) {
            fill(engine, "a");
            Awaitility.await().until(() -> mode(engine, "a").equals("hybrid"));
            assertThat(engine.stop()).isZero();
        }
        assertThat(home).isEmptyDirectory();
    }
}
