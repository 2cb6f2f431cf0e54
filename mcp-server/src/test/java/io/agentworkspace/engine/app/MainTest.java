package io.agentworkspace.engine.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The process as its caller sees it: its output, and its exit. */
@Tag("slow")
class MainTest {
    @TempDir
    static Path dataDir;

    /** In these locales numbers have other digits, and words other small letters. */
    @ParameterizedTest
    @CsvSource({"ar,EG,TERM", "fa,IR,INT", "tr,TR,TERM"})
    void theLocaleChangesNothingAndASignalEndsItWithZero(String language, String country, String signal)
            throws Exception {
        var locale = "-Duser.language=%s -Duser.country=%s".formatted(language, country);
        var engine = EngineProcess.spawn(
                Map.of("JAVA_TOOL_OPTIONS", locale, "ENGINE_EMBEDDING", "off"),
                "--port",
                "0",
                "--data-dir",
                dataDir.toString());
        try {
            var ready = EngineProcess.lineAfterTheKey(engine);
            assertThat(ready).startsWith("ready http://127.0.0.1:");
            assertNoOtherDigits(ready.substring("ready ".length()));
            send(signal, engine);
            send(signal, engine); // Does no harm.
            assertThat(engine.waitFor(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(engine.exitValue()).isZero();
            assertThat(engine.inputReader().readLine()).isNull();
            assertThat(dataDir.resolve("postgres/postmaster.pid")).doesNotExist();
        } finally {
            engine.destroyForcibly();
        }
    }

    private static void assertNoOtherDigits(String url) throws Exception {
        var key = Files.readString(dataDir.resolve("first-api-key")).strip();
        for (var call : List.of(
                "MB_Create {'vx':{'name':'I1','description':'d'}}",
                "MB_Store {'target':{'bank':'i1'},'content':'INFO 12345'}",
                "MB_Search {'target':{'bank':'I1'},'content':'info'}",
                "MB_Read {'target':{'bank':'I1'},'page':{'limit':1001}}",
                "US_Read {}",
                "AC_Audit {}")) {
            var parts = call.split(" ", 2);
            var arguments = Json.readObject(parts[1].replace('\'', '"').getBytes(UTF_8));
            assertThat(ClientApi.REST.call(url, key, parts[0], arguments).toString())
                    .as(call)
                    .doesNotContain("\"error\":\"internal\"")
                    .doesNotContainPattern("[\\p{Nd}&&[^0-9]]");
        }
    }

    /** What else cannot be understood is in {@code SettingsTest}. */
    @Test
    void aKeyForTheFirstStartIsPrinted() throws Exception {
        var engine = EngineProcess.spawn("key");
        var lines = engine.inputReader().readAllLines();
        assertThat(lines)
                .singleElement()
                .satisfies(key -> assertThat(Settings.read(Map.of("ENGINE_BOOTSTRAP_KEY", key), List.of())
                                .tenants()
                                .bootstrapKey())
                        .isNotNull());
        assertThat(engine.waitFor()).isZero();
    }

    @Test
    void aSettingThatCannotBeUnderstoodIsOneLineAndExitCodeTwo() throws Exception {
        Process engine = EngineProcess.spawn("--port=eighty");
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

    @Test
    void aDatabaseThatCannotBeUsedIsOneLineAndExitCodeOne() throws Exception {
        var url = TestDatabase.url().replace(TestDatabase.postgres().password(), "hush");
        var engine = EngineProcess.spawn("--port", "0", "--database-url", url, "--database-wait", "0s");
        assertThat(engine.errorReader().lines())
                .singleElement()
                .asString()
                .startsWith("engine: the database cannot be reached: FATAL: password authentication failed for user")
                .endsWith(" (the database of ENGINE_DATABASE_URL)")
                .doesNotContain("hush");
        assertThat(engine.waitFor()).isEqualTo(1);
    }

    @Test
    void theLineOfAFailedStartSaysWhatIsWrong() {
        assertThat(lineOf("--port", "0", "--database-url", TestDatabase.url("absent"), "--database-wait", "0s"))
                .startsWith("the database cannot be reached: FATAL: database \"absent\" does not exist")
                .endsWith(" (the database of ENGINE_DATABASE_URL)")
                .doesNotContain(TestDatabase.postgres().password());
        var nobody = "jdbc:postgresql://127.0.0.1:1/engine?user=engine&password=hush";
        assertThat(lineOf("--port", "0", "--database-url", nobody, "--database-wait", "0s"))
                .startsWith("the database cannot be reached: Connection to 127.0.0.1:1 refused")
                .endsWith(" (the database of ENGINE_DATABASE_URL)")
                .doesNotContain("hush");
        assertThat(lineOf("--host", "192.0.2.1")).startsWith("cannot listen on 192.0.2.1 port 8080");
        assertThat(lineOf("--host", "no.such.host.invalid"))
                .startsWith("cannot listen on no.such.host.invalid port 8080");
    }

    /** Returns the line with which {@link Main} would report that this start fails. */
    static String lineOf(String... flags) {
        var settings = Settings.read(Map.of(), List.of(flags));
        var failure = catchThrowable(() -> App.start(settings).close());
        return new FailedStart(settings, failure).line().orElseThrow();
    }

    private static void send(String signal, Process engine) {
        EngineProcess.signal(signal, engine.pid());
    }
}
