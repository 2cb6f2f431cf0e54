package io.agentworkspace.engine.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that openapi-generator creates from the document compile unchanged and work. Maven puts the generator and the
 * Java client's libraries into {@code target/openapi}; neither is on the tests' class path.
 */
@Tag("slow")
class GeneratedClientsTest {
    private static final Path SCRIPTS = Path.of("src/test/openapi").toAbsolutePath();
    private static final Path TOOLS = Path.of("target/openapi").toAbsolutePath();
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin").toString();

    /** Halves the run time of a program that takes only seconds. */
    private static final String QUICK = "-XX:TieredStopAtLevel=1";

    /** The expected output of each client, from typed responses. */
    private static final List<String> DONE = List.of(
            "agent: scout owned by owner, private, revision 1",
            "domain: harbour hosted by scout",
            "said: Low water at 06:12. as scout in main",
            "heard: Low water at 06:12.",
            "memory: Low water at 06:12. tagged tides",
            "found: 1 of 2",
            "key: nightly report, active, then revoked, of 2",
            "endpoint: agent.deployment.created, shown once whsec_",
            "account: unlimited",
            "page: 1 of more",
            "command: US_Read",
            "refused: 400 already_exists 3002",
            "problem: 404 not_found");

    @TempDir
    private static Path folder;

    @BeforeAll
    static void generate() throws IOException {
        Files.write(
                folder.resolve("openapi.json"), Contract.at(TestServer.url()).bytes());
        for (var file : List.of("java.yaml", "typescript.yaml", "tsconfig.json", "package.json", "drive.ts")) {
            Files.copy(SCRIPTS.resolve(file), folder.resolve(file));
        }
        var generator = TOOLS.resolve("generator.jar").toString();
        run(JAVA + "/java", QUICK, "-jar", generator, "batch", "--fail-fast", "java.yaml", "typescript.yaml");
    }

    @Test
    void theClientInJavaDrivesTheService() throws IOException {
        var classes = folder.resolve("classes").toString();
        var classPath = "%s:%s/lib/*".formatted(classes, TOOLS);
        Files.writeString(folder.resolve("sources"), String.join("\n", sources(folder.resolve("java"))));
        run(
                JAVA + "/javac",
                "-J" + QUICK,
                "-nowarn",
                "-proc:none",
                "-d",
                classes,
                "-cp",
                classPath,
                "@sources",
                SCRIPTS.resolve("Drive.java").toString());

        assertThat(drive(JAVA + "/java", QUICK, "-cp", classPath, "Drive")).containsExactlyElementsOf(DONE);
    }

    @Test
    void theClientInTypeScriptDrivesTheService() throws IOException {
        Node.require();
        var node = Node.module(".bin/node").toString();
        run(node, Node.module("typescript/bin/tsc").toString(), "-p", "tsconfig.json");

        assertThat(drive(node, "out/drive.js")).containsExactlyElementsOf(DONE);
    }

    private static List<String> sources(Path client) throws IOException {
        try (var files = Files.walk(client.resolve("src/main/java"))) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".java"))
                    .toList();
        }
    }

    /** Runs the program with the service's address and a new user's key, and returns its output. */
    private static List<String> drive(String... command) throws IOException {
        var key = new TestTenant().key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));
        var arguments = Stream.concat(Stream.of(command), Stream.of(TestServer.url(), key));
        return run(arguments.toArray(String[]::new)).lines().toList();
    }

    private static String run(String... command) throws IOException {
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes());
        try {
            assertThat(process.waitFor()).as(output).isZero();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return output;
    }
}
