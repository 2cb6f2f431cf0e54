package io.agentworkspace.engine.integrations.joining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** A home folder in which the script of {@code GET /join} runs, and a user who invites. */
abstract class JoinFixture {
    static final Path PROGRAMS = Node.client(".bin");

    @TempDir
    Path home;

    final TestTenant tenant = new TestTenant();
    final TestCaller rest = tenant.person(ClientApi.REST, "rosa", Role.MEMBER);
    final Map<String, String> variables = new HashMap<>();
    String programs = PROGRAMS + ":" + Node.module(".bin");

    /** What a program printed, and how it ended. */
    record Ended(int code, String output) {
        Ended good() {
            assertThat(code).as(output).isZero();
            return this;
        }
    }

    @BeforeEach
    void aHomeFolderOfItsOwn() throws IOException {
        home = home.toRealPath();
    }

    Ended run(String... command) {
        try {
            var output = Files.createTempFile("join", ".out");
            var process = new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true);
            process.environment().clear();
            process.environment().put("PATH", programs + ":/usr/bin:/bin");
            process.environment().put("HOME", home.toString());
            process.environment().put("TERM", "dumb");
            process.environment().putAll(Node.COMPILED);
            process.environment().put("DISABLE_AUTOUPDATER", "1");
            process.environment().put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
            process.environment().put("GEMINI_CLI_TRUST_WORKSPACE", "true");
            process.environment().putAll(variables);
            process.redirectInput(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
            process.redirectOutput(output.toFile());
            // Without a terminal of its own, the script would ask whoever runs the tests.
            var code = process.start().waitFor();
            var text = Files.readString(output);
            Files.delete(output);
            return new Ended(code, text);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs the line that an invitation shows, in this shell. */
    Ended join(String shell, String arguments) {
        return run(
                "/bin/sh",
                "-c",
                "curl -fsS %s/join | setsid %s -s -- %s".formatted(TestServer.url(), shell, arguments));
    }

    String invitation(String agent) {
        return rest.call("AK_Invite", "{'agent':'%s'}".formatted(agent)).ok().text("/invitation/code");
    }

    /** Returns each file with its rights and content, and each folder with its rights. */
    SortedMap<String, String> state() {
        try (var files = Files.walk(home)) {
            var state = new TreeMap<String, String>();
            for (var file : files.toList()) {
                if (Files.isSymbolicLink(file)) {
                    state.put(home.relativize(file).toString(), "to " + Files.readSymbolicLink(file));
                    continue;
                }
                var rights = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                var content = Files.isDirectory(file) ? "" : HexFormat.of().formatHex(Files.readAllBytes(file));
                state.put(home.relativize(file).toString(), rights + " " + content);
            }
            return state;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void write(String path, String text) {
        try {
            Files.createDirectories(home.resolve(path).getParent());
            Files.writeString(home.resolve(path), text);
            Files.setPosixFilePermissions(home.resolve(path), PosixFilePermissions.fromString("rw-r--r--"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    String text(String path) {
        return Repository.text(home.resolve(path));
    }

    ObjectNode json(String path) {
        return Json.readObject(text(path).getBytes(StandardCharsets.UTF_8));
    }

    static void require(String program) {
        var isThere = Files.isExecutable(PROGRAMS.resolve(program));
        assertThat(isThere || System.getenv("CI") == null)
                .as("run npm ci first")
                .isTrue();
        assumeTrue(isThere, program + " is not installed");
    }

    void requireShell(String shell) {
        var isThere = run("/bin/sh", "-c", "command -v " + shell).code() == 0;
        assertThat(isThere || System.getenv("CI") == null).isTrue();
        assumeTrue(isThere, shell + " is not installed");
    }

    /** Nobody else may read a file that has a key. */
    void assertKeysAreKept(String key) {
        for (var file : state().entrySet()) {
            if (file.getValue().contains(HexFormat.of().formatHex(key.getBytes(StandardCharsets.UTF_8)))) {
                assertThat(file.getValue()).as(file.getKey()).startsWith("rw-------");
            }
        }
    }

    /** Puts a program in front of all others on the PATH. */
    void program(String name, String script) {
        write("bin/" + name, "#!/bin/sh\n" + script);
        try {
            Files.setPosixFilePermissions(
                    home.resolve("bin").resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        programs = home.resolve("bin").toString();
    }
}
