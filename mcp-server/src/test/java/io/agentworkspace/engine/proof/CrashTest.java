package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real process with its embedded database, killed during a stream of writes. */
@Tag("slow")
@Tag("crash")
class CrashTest {
    private static final int STREAM = 150;

    @TempDir
    static Path dataDir;

    private static void awaitStream(WriteLoad writers) {
        var before = writers.acknowledged();
        await().until(() -> writers.acknowledged() >= before + STREAM);
    }

    private static int ready(EngineProcess engine) {
        var request = HttpRequest.newBuilder(URI.create(engine.url() + "/api/health/ready"))
                .timeout(Duration.ofMinutes(2))
                .build();
        return ClientApi.send(request).statusCode();
    }

    @Test
    void whateverEndsNothingIsLostThatWasAcknowledged() throws Exception {
        WriteLoad killed;
        try (var engine = EngineProcess.start(dataDir)) {
            killed = new WriteLoad(engine);
            try (killed) {
                awaitStream(killed);
                engine.kill();
            }
        }
        WriteLoad stopped;
        var logged = Map.of("JAVA_TOOL_OPTIONS", "-Dlogback.configurationFile=logback.xml"); // Not the tests' logging.
        try (var engine = EngineProcess.start(dataDir, logged)) {
            killed.checkNothingIsLost(engine);
            killDatabase(engine);
            stopped = new WriteLoad(engine);
            try (stopped) {
                awaitStream(stopped);
                assertThat(engine.stop()).isZero();
            }
        }
        assertThat(Files.readString(dataDir.resolve("engine.log")))
                .contains("database unreachable: ")
                .doesNotContain("\tat ", "PoolBase", "ProxyConnection");
        try (var engine = EngineProcess.start(dataDir)) {
            killed.checkNothingIsLost(engine);
            stopped.checkNothingIsLost(engine);
            stopped.checkAllWasAnswered(engine);
        }
    }

    /** Kills the database, which restarts by itself. */
    private static void killDatabase(EngineProcess engine) throws Exception {
        var writers = new WriteLoad(engine);
        try (writers) {
            awaitStream(writers);
            var killed = engine.postmaster();
            EngineProcess.signal("KILL", killed);
            // It may be back before a client noticed the failure.
            await().ignoreExceptions().until(() -> engine.postmaster() != killed && ready(engine) == 200);
            awaitStream(writers);
        }
        System.out.printf(
                "killed database: %d acknowledged, %d told it is away%n",
                writers.acknowledged(), writers.unavailable());
        writers.checkNothingIsLost(engine);
    }
}
