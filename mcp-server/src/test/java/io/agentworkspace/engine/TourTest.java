package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.StartUpCache;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the launcher plays on a running engine: the documented tour, invitations, and the example that is taken away again. */
@Tag("slow")
class TourTest {
    @TempDir
    private static Path classes;

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));

    private record Ended(int code, String output) {}

    /** Compiles the programs of {@code examples/} once, as the launcher does on each run. */
    @BeforeAll
    static void compile() {
        var arguments = Stream.concat(
                Stream.of("-nowarn", "-cp", System.getProperty("java.class.path"), "-d", classes.toString()),
                Stream.of("Tour", "ParallelWriters")
                        .map(name ->
                                Repository.file("examples/" + name + ".java").toString()));
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    private static Ended run(String program, String... arguments) {
        var command = StartUpCache.java();
        command.add("-Dexample.memories=100");
        command.add(program);
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command);
        builder.environment().put("CLASSPATH", StartUpCache.jars() + File.pathSeparator + classes);
        return run(builder);
    }

    /** Nobody else's engine gets the first key of this one. */
    @Test
    void theFirstKeyIsSentToNoAddressThatIsNamed(@TempDir Path data) throws IOException {
        Files.writeString(data.resolve("first-api-key"), key);
        var invite = new ProcessBuilder("sh", "engine", "invite", TestServer.url(), "claude");
        var tour = new ProcessBuilder(StartUpCache.java());
        tour.command().addAll(List.of("Tour", TestServer.url()));
        tour.environment().put("CLASSPATH", StartUpCache.jars() + File.pathSeparator + classes);
        for (var builder : List.of(invite, tour)) {
            builder.environment().put("ENGINE_DATA_DIR", data.toString());
            builder.environment().remove("ENGINE_KEY");
            var ended = run(builder);
            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.output()).contains("set ENGINE_KEY to an API key");
        }
    }

    @Test
    void theFirstKeyStaysHereWhateverTheBaseUrlIs(@TempDir Path data) throws IOException {
        Files.writeString(data.resolve("first-api-key"), key);
        var invite = new ProcessBuilder("sh", "engine", "invite", "claude");
        invite.environment().remove("ENGINE_KEY");
        invite.environment()
                .putAll(Map.of(
                        "ENGINE_DATA_DIR", data.toString(), "ENGINE_BASE_URL", TestServer.url(), "ENGINE_PORT", "1"));
        assertThat(run(invite).output()).contains("no engine responds at http://127.0.0.1:1:");
    }

    /** Runs {@code ./engine invite}, with a key in the environment. */
    private static Ended invite(String key, String... arguments) {
        var command = new ArrayList<>(List.of("sh", "engine", "invite"));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command);
        builder.environment().put("ENGINE_KEY", key);
        return run(builder);
    }

    private static Ended run(ProcessBuilder builder) {
        try {
            var process = builder.directory(Repository.ROOT.toFile())
                    .redirectErrorStream(true)
                    .start();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ended(process.waitFor(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theDocumentedTourIsPlayedWithASentenceForEachStep() {
        var first = run("Tour", TestServer.url(), key);
        assertThat(first.code()).as(first.output()).isZero();
        assertThat(first.output())
                .contains(
                        "1  The agent ada is created: Works on the server.",
                        "Stored in the bank notes: Staging is reset every Monday",
                        "MB_Search found, by ada in notes: Staging is reset every Monday at 06:00 UTC.",
                        "AP_Chat done, as the console shows.")
                .doesNotContain("refused", key);
        var again = run("Tour", TestServer.url(), key);
        assertThat(again.code()).as(again.output()).isZero();
        assertThat(again.output()).contains("AP_Create: it is there already.");
    }

    @Test
    void whatIsNoAddressIsRefusedWithAnExample() {
        for (var argument : List.of("--url", "http://a b", "file:/tmp")) {
            var refused = run("Tour", argument);
            assertThat(refused.code()).isEqualTo(2);
            assertThat(refused.output())
                    .startsWith("tour: the first argument must be the engine's URL, such as http://");
        }
    }

    @Test
    void anInvitationIsTheLineThatAProgramRuns() {
        var invited = invite(key, TestServer.url(), "claude", "codex");
        assertThat(invited.code()).as(invited.output()).isZero();
        var line = "curl -fsS %s/join \\| sh -s -- --client %s ej_\\w+";
        assertThat(invited.output().strip().split("\n")).hasSize(4).satisfies(lines -> {
            assertThat(lines[0]).matches(line.formatted(TestServer.url(), "claude-code"));
            assertThat(lines[1])
                    .endsWith("& ([scriptblock]::Create((irm %s/join.ps1))) ".formatted(TestServer.url())
                            + lines[0].substring(lines[0].indexOf("--client")));
            assertThat(lines[2]).matches(line.formatted(TestServer.url(), "codex"));
        });
    }

    @Test
    void anInvitationThatIsRefusedSaysWhy() {
        assertThat(invite(key, TestServer.url(), "a/b")).satisfies(refused -> {
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.output()).startsWith("engine: 'a/b' was not invited: ");
        });
        assertThat(invite(key, TestServer.url(), "a\"b").output()).contains("has a character that names cannot have");
        assertThat(invite(key, TestServer.url()).output()).contains("name an agent for each program");
        assertThat(invite(key, "http://127.0.0.1:" + LoopbackPort.free(), "ada").output())
                .contains("no engine responds at http://127.0.0.1:");
    }

    @Test
    void whatTheExampleCreatedCanBeTakenAway() {
        var played = run("ParallelWriters", TestServer.url(), key);
        assertThat(played.code()).as(played.output()).isZero();
        var removed = run("ParallelWriters", "--remove", TestServer.url(), key);
        assertThat(removed.code()).as(removed.output()).isZero();
        assertThat(removed.output().lines()).hasSize(6).allMatch(line -> line.startsWith("deleted the "));
        var again = run("ParallelWriters", "--remove", TestServer.url(), key);
        assertThat(again.output()).isEmpty();
    }
}
