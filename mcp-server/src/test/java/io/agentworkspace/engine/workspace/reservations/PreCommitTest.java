package io.agentworkspace.engine.workspace.reservations;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code clients/pre-commit} as a hook of a real git. */
class PreCommitTest {
    private static final Path SCRIPT = Path.of("..", "clients", "pre-commit").toAbsolutePath();

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "bob", Role.ADMIN, List.of("*"));

    @TempDir
    private Path repository;

    private record Ended(int code, String output) {}

    @BeforeEach
    void start() throws Exception {
        var ann = tenant.member("ann");
        agents(ann, "Ada");
        hosted(ann, "Yard", "public", "Ada");
        ann.call(
                        "TK_Reserve",
                        "{'target':{'domain':'Yard','context':'Ada'},'paths':['taken/**','x'],'reason':'moving \\\"things\\\"'}")
                .ok();
        assertThat(git(Map.of(), "init", "--quiet").code()).isZero();
        Files.copy(SCRIPT, repository.resolve(".git/hooks/pre-commit"));
        assertThat(repository.resolve(".git/hooks/pre-commit").toFile().setExecutable(true))
                .isTrue();
    }

    private Ended git(Map<String, String> environment, String... arguments) throws Exception {
        var command = new ProcessBuilder("git", "-c", "user.name=Bob", "-c", "user.email=bob@localhost")
                .directory(repository.toFile())
                .redirectErrorStream(true);
        command.command().addAll(List.of(arguments));
        command.environment().putAll(environment);
        command.environment().put("LC_ALL", "C.UTF-8");
        var process = command.start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private Ended commit(String file, String url) throws Exception {
        return commit(file, url, key);
    }

    private Ended commit(String file, String url, String key) throws Exception {
        var path = repository.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, "text");
        assertThat(git(Map.of(), "add", "-A").code()).isZero();
        return git(
                Map.of("ENGINE_KEY", key, "ENGINE_DOMAIN", "Yard", "ENGINE_URL", url),
                "commit",
                "--quiet",
                "-m",
                "A change");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "taken/a.txt",
                "taken/a b.txt",
                "taken/größe/文.txt",
                "taken/quo\"te",
                "taken/line\nend",
                "taken/tab\tand\u0001",
                "taken/[x]{a,b}*?!",
                "taken/-n $(exit) `exit` %s '"
            })
    void aFileThatAnotherHoldsIsNotCommitted(String file) throws Exception {
        var refused = commit(file, TestServer.url());
        assertThat(refused.output()).contains("'Ada' works on taken/**", "(moving \"things\")");
        assertThat(refused.code()).isNotZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"free/a.txt", "[x]", "{x,y}", "*", "?", "größe", "\\x", "line\nx"})
    void everyOtherFileIs(String file) throws Exception {
        var done = commit(file, TestServer.url());
        assertThat(done.output()).isEmpty();
        assertThat(done.code()).isZero();
    }

    @Test
    void nothingIsReservedOrReleased() throws Exception {
        var bob = TestCaller.of(ClientApi.REST, key);
        bob.call("TK_Reserve", "{'target':{'domain':'Yard'},'paths':['mine.txt']}")
                .ok();
        assertThat(commit("mine.txt", TestServer.url()).code()).isZero();
        assertThat(commit("other.txt", TestServer.url()).code()).isZero();
        var all =
                bob.call("TK_List", "{'target':{'domain':'Yard'},'paths':true}").ok();
        assertThat(all.texts("/reservations", "path")).containsExactlyInAnyOrder("mine.txt", "taken/**", "x");
    }

    @Test
    void moreFilesThanOneCallTakesAreAllChecked() throws Exception {
        for (var number = 100; number < 160; number++) {
            write("free/" + number);
        }
        assertThat(commit("free/file", TestServer.url()).code()).isZero();
        for (var number = 200; number < 260; number++) {
            write("free/" + number);
        }
        assertThat(commit("taken/file", TestServer.url()).code()).isNotZero();
    }

    private void write(String file) throws IOException {
        var path = repository.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, "text");
    }

    @Test
    void aKeyThatMayNotAskIsSaidAndTheCommitPasses() throws Exception {
        var weak = tenant.key(ClientApi.REST, "eve", Role.MEMBER, List.of("agent:read"));
        var done = commit("taken/file", TestServer.url(), weak);
        assertThat(done.output()).contains("not checked", "task:write");
        assertThat(done.code()).isZero();
    }

    @Test
    void withoutTheEngineEveryCommitPasses() throws Exception {
        assertThat(commit("taken/file", "http://127.0.0.1:9").code()).isZero();
    }
}
