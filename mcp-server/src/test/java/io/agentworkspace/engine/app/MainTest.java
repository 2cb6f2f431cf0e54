package io.agentworkspace.engine.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The process as its caller sees it: its output, and its exit. */
@Tag("slow")
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
            assertThat(engine.waitFor(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
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
        Process engine = EngineProcess.spawn("--port", "0", "--data-dir", "/dev/null/engine");
        assertThat(engine.errorReader().lines())
                .singleElement()
                .asString()
                .startsWith("engine: ")
                .contains("/dev/null/engine");
        assertThat(engine.waitFor()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nobody listens | jdbc:postgresql://127.0.0.1:1/engine?user=engine&password=hush | the database cannot be reached: Connection to 127.0.0.1:1 refused
            wrong password | hush   | the database cannot be reached: FATAL: password authentication failed for user "engine"
            no database    | absent | the database cannot be reached: FATAL: database "absent" does not exist
            """)
    void aDatabaseThatCannotBeUsedIsOneLineAndExitCodeOne(String what, String where, String message) throws Exception {
        var url = switch (what) {
            case "wrong password" ->
                TestDatabase.url().replace(TestDatabase.postgres().password(), where);
            case "no database" -> TestDatabase.url(where);
            default -> where;
        };
        assertOneLine(message, "--port", "0", "--database-url", url, "--database-wait", "0s")
                .endsWith(" (the database of ENGINE_DATABASE_URL)")
                .doesNotContain("hush", TestDatabase.postgres().password());
    }

    @Test
    void anAddressOfAnotherMachineIsOneLineAndExitCodeOne() throws Exception {
        assertOneLine("cannot listen on 192.0.2.1 port 8080", "--host", "192.0.2.1");
        assertOneLine("cannot listen on no.such.host.invalid port 8080", "--host", "no.such.host.invalid");
    }

    private static AbstractStringAssert<?> assertOneLine(String message, String... flags) throws Exception {
        var engine = EngineProcess.spawn(flags);
        var line = assertThat(engine.errorReader().lines()).singleElement().asString();
        assertThat(engine.waitFor()).isEqualTo(1);
        return line.startsWith("engine: ").contains(message);
    }

    private static void send(String signal, Process engine) {
        EngineProcess.signal(signal, engine.pid());
    }

    /** In these locales numbers have other digits, and words other small letters. */
    @ParameterizedTest
    @CsvSource({"ar,EG", "fa,IR", "tr,TR"})
    void theLocaleOfTheMachineChangesNothing(String language, String country) throws Exception {
        var locale = "-Duser.language=%s -Duser.country=%s".formatted(language, country);
        try (var engine =
                EngineProcess.start(dataDir, Map.of("JAVA_TOOL_OPTIONS", locale, "ENGINE_EMBEDDING", "off"))) {
            for (var call : List.of(
                    "MB_Create {'vx':{'name':'I1','description':'d'}}",
                    "MB_Store {'target':{'bank':'i1'},'content':'INFO 12345'}",
                    "MB_Search {'target':{'bank':'I1'},'content':'info'}",
                    "MB_Read {'target':{'bank':'I1'},'page':{'limit':1001}}",
                    "US_Read {}",
                    "AC_Audit {}")) {
                var parts = call.split(" ", 2);
                var reply = ClientApi.REST.call(
                        engine.url(),
                        engine.key(),
                        parts[0],
                        Json.readObject(parts[1].replace('\'', '"').getBytes(UTF_8)));
                assertThat(reply.toString())
                        .as(call)
                        .doesNotContain("\"error\":\"internal\"")
                        .doesNotContainPattern("[\\p{Nd}&&[^0-9]]");
            }
        }
    }
}
