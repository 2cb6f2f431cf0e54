package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * When the launcher builds, and what a build takes from engines that run: nothing. Its Maven writes what the real one writes, so that
 * a build takes no minute; its Java is a process that has a file of its build open until it is ended. CI starts the real ones.
 */
class LauncherBuildTest {
    @TempDir
    private Path folder;

    private Path home;
    private String shell = "sh";
    private String path = System.getenv("PATH");
    private final List<Process> launched = new ArrayList<>();

    @BeforeEach
    void aTreeWithSources() throws IOException {
        home = Files.createDirectory(folder.resolve("home"));
        write("pom.xml", "<version>0.1.0</version>");
        write("mcp-server/src/main/java/App.java", "first");
        write("shared-model/src/main/java/Tool.java", "first");
        write("examples/Tour.java", "first");
        write("docs/page.md", "first");
        Files.copy(Repository.file("engine"), home.resolve("engine"));
        program("jdk/bin/javac", "");
        program("jdk/bin/jar", "");
        program("jdk/bin/java", """
                case $* in
                    *-XX:AOTCacheOutput=*) for word; do case $word in -XX:AOTCacheOutput=*) echo cache >"${word#*=}" ;; esac; done ;;
                    *) echo "runs ${CLASSPATH%%:*}"; read -r _ <'%s' ;;
                esac""".formatted(fifo()));
        write("jdk/release", "JAVA_VERSION=\"25.0.1\"\n");
        // What the real one leaves in the folders target of all modules, and what it does not replace while it is
        // incomplete.
        program("bin/mvn", """
                echo built >>'%s'
                for module in shared-model examples mcp-server; do mkdir -p "$module/target"; echo "$$" >"$module/target/classes"; done
                while [ -e '%s' ]; do sleep 0.05; done
                [ ! -e '%s' ] || exit 1
                mkdir -p mcp-server/target/lib
                cat mcp-server/src/main/java/App.java >mcp-server/target/engine-mcp-server-0.1.0.jar
                echo library >mcp-server/target/lib/xz-1.jar""".formatted(folder.resolve("builds"), folder.resolve("slow"), folder.resolve("broken")));
    }

    @AfterEach
    void nothingStays() {
        launched.forEach(process -> process.descendants().forEach(ProcessHandle::destroyForcibly));
        launched.forEach(Process::destroyForcibly);
    }

    private Path fifo() throws IOException {
        var fifo = folder.resolve("fifo");
        var process = new ProcessBuilder("mkfifo", fifo.toString()).start();
        process.onExit().join();
        return fifo;
    }

    private void write(String file, String text) throws IOException {
        var path = (file.startsWith("jdk") || file.startsWith("bin") ? folder : home).resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void program(String file, String script) throws IOException {
        write(file, "#!/bin/sh\n" + script + "\n");
        assertThat(folder.resolve(file).toFile().setExecutable(true)).isTrue();
    }

    private Process launch(String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(shell, home.resolve("engine").toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("PATH", folder.resolve("bin") + ":" + path);
        builder.redirectOutput(folder.resolve("output" + launched.size()).toFile());
        var process = builder.start();
        launched.add(process);
        return process;
    }

    private String output(int number) throws IOException {
        return Files.readString(folder.resolve("output" + number));
    }

    /** Starts the engine, and returns the jar that it runs from. */
    private Path started(int number) throws IOException {
        launch("serve");
        return running(number);
    }

    private Path running(int number) throws IOException {
        await().until(() -> output(number).contains("runs ") && output(number).endsWith("\n")
                || !launched.get(number).isAlive());
        assertThat(output(number)).contains("runs ");
        return Path.of(
                output(number).substring(output(number).indexOf("runs ") + 5).strip());
    }

    private int builds() throws IOException {
        return Files.readAllLines(folder.resolve("builds")).size();
    }

    @Test
    void aSecondStartBuildsNothingWhateverTheBuildWrote() throws IOException {
        var first = started(0);
        for (var module : List.of("shared-model", "examples", "mcp-server")) {
            write(module + "/target/classes", "touched");
            write(module + "/target/new", "new");
        }
        assertThat(started(1)).isEqualTo(first);
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aFileThatIsTouchedIsNoChange() throws IOException {
        var first = started(0);
        write("shared-model/src/main/java/Tool.java", "first");
        assertThat(started(1)).isEqualTo(first);
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void everyKindOfChangeIsBuilt() throws IOException {
        started(0);
        write("docs/page.md", "second");
        started(1);
        Files.delete(home.resolve("examples/Tour.java"));
        started(2);
        Files.move(
                home.resolve("shared-model/src/main/java/Tool.java"),
                home.resolve("shared-model/src/main/java/Tools.java"));
        started(3);
        assertThat(builds()).isEqualTo(4);
    }

    @Test
    void anEngineThatRunsKeepsItsFilesWhileAnotherOneIsBuilt() throws IOException {
        var first = started(0);
        write("mcp-server/src/main/java/App.java", "second");
        var second = started(1);
        assertThat(first).hasContent("first");
        assertThat(second).hasContent("second");
        assertThat(first.resolveSibling("lib/xz-1.jar")).exists();
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void buildsThatNoProcessUsesAreRemoved() throws Exception {
        var first = started(0);
        launched.getFirst().destroyForcibly().waitFor();
        write("mcp-server/src/main/java/App.java", "second");
        var second = started(1);
        assertThat(first.getParent()).doesNotExist();
        assertThat(second).exists();
    }

    @Test
    void twoLaunchersAtOnceBuildOnce() throws IOException {
        write("../slow", "");
        launch("serve");
        await().until(() -> Files.exists(folder.resolve("builds")));
        launch("serve");
        await().until(() -> output(1).contains("waiting for another launcher"));
        Files.delete(folder.resolve("slow"));
        assertThat(running(0)).isEqualTo(running(1));
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aSourceThatChangesDuringTheBuildIsBuiltAgain() throws IOException {
        write("../slow", "");
        launch("serve");
        await().until(() -> Files.exists(folder.resolve("builds")));
        write("mcp-server/src/main/java/App.java", "second");
        Files.delete(folder.resolve("slow"));
        assertThat(running(0)).hasContent("second");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void aBuildThatFailsTakesNothingFromWhatRuns() throws Exception {
        var first = started(0);
        write("mcp-server/src/main/java/App.java", "second");
        write("../broken", "");
        assertThat(launch("serve").waitFor()).isEqualTo(1);
        assertThat(output(1)).contains("the build failed");
        assertThat(first).hasContent("first");
        Files.delete(folder.resolve("broken"));
        write("mcp-server/src/main/java/App.java", "first");
        assertThat(started(2)).isEqualTo(first);
    }

    /** As on macOS. */
    private void withoutFlock() throws IOException {
        var programs = Files.createDirectory(folder.resolve("programs"));
        for (var program :
                "basename cat cksum dirname find ln mkdir mv ps readlink rm rmdir sed sh sleep sort tr uname xargs"
                        .split(" ")) {
            Files.createSymbolicLink(programs.resolve(program), Path.of("/usr/bin", program));
        }
        path = programs.toString();
    }

    @Test
    void withoutFlockTooTwoLaunchersBuildOnceAndALeftLockIsRemoved() throws Exception {
        withoutFlock();
        write("../slow", "");
        var killed = launch("serve");
        await().until(() -> Files.exists(folder.resolve("builds")));
        killed.descendants().forEach(ProcessHandle::destroyForcibly);
        killed.destroyForcibly().waitFor();
        Files.delete(folder.resolve("slow"));
        launch("serve");
        launch("serve");
        assertThat(running(1)).isEqualTo(running(2)).hasContent("first");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void aStepOfABuildThatFailsEndsIt() throws Exception {
        program("jdk/bin/jar", "exit 1");
        assertThat(launch("serve").waitFor()).isEqualTo(1);
        withoutFlock();
        assertThat(launch("serve").waitFor()).isEqualTo(1);
        program("jdk/bin/jar", "");
        assertThat(started(2)).hasContent("first");
    }

    @Test
    void aFolderThatCannotBeWrittenIsNamed() throws Exception {
        write(".build", "a file");
        assertThat(launch("serve").waitFor()).isEqualTo(1);
        assertThat(output(0)).contains("cannot write into " + home.toRealPath().resolve(".build"));
    }

    @Test
    void zshRunsTheLauncherToo() throws IOException {
        assumeThat(Path.of("/usr/bin/zsh")).exists();
        shell = "zsh";
        assertThat(started(0)).hasContent("first");
        assertThat(started(1)).isEqualTo(running(0));
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aBuildThatWasKilledIsNotUsed() throws Exception {
        write("../slow", "");
        var killed = launch("serve");
        await().until(() -> Files.exists(folder.resolve("builds")));
        killed.descendants().forEach(ProcessHandle::destroyForcibly);
        killed.destroyForcibly().waitFor();
        Files.delete(folder.resolve("slow"));
        assertThat(started(1)).hasContent("first");
        try (Stream<Path> builds = Files.list(home.resolve(".build"))) {
            assertThat(builds.filter(Files::isDirectory))
                    .containsExactly(running(1).getParent());
        }
    }
}
