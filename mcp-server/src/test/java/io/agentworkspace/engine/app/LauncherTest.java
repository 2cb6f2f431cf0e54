package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.agentworkspace.engine.testing.Repository;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes.Name;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The launcher with what programs of a Mac print, since there is no Mac here: {@code uname}, {@code java_home}, and a JDK that
 * only says how it was called. Programs that macOS does not have are missing, too.
 */
class LauncherTest {
    private static final List<String> TOOLS = List.of(
            "basename",
            "cat",
            "chmod",
            "cksum",
            "cp",
            "date",
            "dirname",
            "env",
            "find",
            "head",
            "id",
            "ln",
            "mkdir",
            "mv",
            "readlink",
            "rm",
            "rmdir",
            "sed",
            "sh",
            "sleep",
            "sort",
            "tar",
            "touch",
            "tr",
            "gzip");

    /** As {@code /bin/sh} of macOS is: bash, as POSIX wants it. */
    private static final List<String> BASH = List.of("/bin/bash", "--posix");

    @TempDir
    private Path folder;

    private Path bin;
    private Path home;

    @BeforeEach
    void aTreeWithoutSourcesOnAMachineWithoutJava() throws IOException {
        bin = Files.createDirectory(folder.resolve("bin"));
        for (var tool : TOOLS) {
            Files.createSymbolicLink(bin.resolve(tool), where(tool));
        }
        home = Files.createDirectory(folder.resolve("home"));
        Files.createDirectories(home.resolve("app/lib"));
        Files.createDirectory(home.resolve("examples"));
        Files.createDirectory(home.resolve("docs"));
        for (var file : List.of("app/engine-mcp-server-0.1.0.jar", "LICENSE", "README.md", "docs/calling.md")) {
            Files.createFile(home.resolve(file));
        }
        Files.copy(Repository.file("engine"), home.resolve("engine"));
    }

    private static Path where(String tool) {
        return Stream.of("/bin", "/usr/bin")
                .map(place -> Path.of(place, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    /** A machine of this system and processor, whose own program knows a JDK. */
    private void machine(String system, String processor) throws IOException {
        program(bin.resolve("uname"), "case $1 in -s) echo %s ;; -m) echo %s ;; esac".formatted(system, processor));
        program(bin.resolve("java_home"), "[ \"$*\" = '-v 25+' ] && echo '%s'".formatted(jdk()));
        // The one of macOS, which is there without a JDK.
        program(bin.resolve("java"), "echo 'Unable to locate a Java Runtime.' >&2; exit 1");
    }

    /** A JDK whose java prints its command line and makes the start-up cache that it should, and whose jlink copies it. */
    private Path jdk() throws IOException {
        var jdk = folder.resolve("Library/Java/JavaVirtualMachines/temurin-25.jdk/Contents/Home");
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"Eclipse Adoptium\"\nJAVA_VERSION=\"25.0.1\"\n");
        program(jdk.resolve("bin/java"), """
                echo "$0 $*"
                for word; do case $word in -XX:AOTCacheOutput=*) echo cache >"${word#*=}" ;; esac; done""");
        program(jdk.resolve("bin/jlink"), """
                for runtime; do :; done
                cp -R '%s' "$runtime"
                mkdir "$runtime/lib"
                echo modules >"$runtime/lib/modules\"""".formatted(jdk));
        return jdk;
    }

    private static void program(Path file, String script) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private String launched(List<String> shell, String argument, Map<String, String> environment) throws Exception {
        var command = new ArrayList<>(shell);
        command.addAll(List.of(home.resolve("engine").toString(), argument));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", bin.toString());
        builder.environment().putAll(environment);
        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void onMacosItFindsTheJdkThatTheSystemNames() throws Exception {
        machine("Darwin", "arm64");
        for (var shell : List.of(List.of("/bin/sh"), BASH)) {
            assumeThat(Path.of(shell.getFirst())).isExecutable();
            assertThat(launched(shell, "--help", Map.of()))
                    .contains("/temurin-25.jdk/Contents/Home/bin/java -Xmx1g")
                    .endsWith("io.agentworkspace.engine.app.Main --help\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Darwin, arm64, macos-arm64",
        "Darwin, x86_64, macos-amd64",
        "Linux, aarch64, linux-arm64",
        "Linux, x86_64, linux-amd64"
    })
    void aPackageIsForTheMachineThatMadeIt(String system, String processor, String platform) throws Exception {
        machine(system, processor);
        var name = "agent-workspace-engine-0.1.0-" + platform;
        assertThat(launched(BASH, "package", Map.of("JAVA_HOME", jdk().toString())))
                .contains("packing " + name, "/mcp-server/target/" + name + ".tar.gz");
        var list = new ProcessBuilder(
                        "tar",
                        "-tzf",
                        home.resolve("mcp-server/target/" + name + ".tar.gz").toString())
                .start();
        assertThat(list.inputReader().readAllLines())
                .contains(name + "/engine", name + "/runtime/bin/java", name + "/app/engine.aot");
    }

    /** With a sealed library in the start-up cache, the JVM does not start where the library is at another place. */
    @Test
    void theLauncherUnsealsEachSealedLibrary() throws IOException {
        var sealed = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (entry.endsWith(".jar")) {
                try (var jar = new JarFile(entry)) {
                    var manifest = jar.getManifest();
                    if (manifest != null
                            && "true".equals(manifest.getMainAttributes().getValue(Name.SEALED))) {
                        sealed.add(Path.of(entry).getFileName().toString());
                    }
                }
            }
        }
        assertThat(sealed).allMatch(name -> name.matches("xz-[\\d.]+\\.jar"));
        assertThat(Repository.text(Repository.file("engine"))).contains("\"$1\"/xz-*.jar");
    }
}
