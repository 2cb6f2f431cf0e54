package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.wire.Wire;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The benchmarks, run for a short time: they fail where the engine does something wrong, not where it is slow. The engine
 * checks all messages, which costs it about 3 kB for each stream.
 */
@Tag("slow")
class BenchmarksTest {
    private static final Pattern HEAP = Pattern.compile("heap +([0-9.]+) kB for each stream");
    private static final Pattern RATIO = Pattern.compile("ratio +p50 +([0-9.]+)");

    private static final Pattern DELIVERIES = Pattern.compile("([0-9]+)[0-9,]* deliveries a second");

    @TempDir
    private static Path classes;

    @TempDir
    private Path directory;

    /** Once, where {@code ./engine bench} does so each time. */
    @BeforeAll
    static void compile() {
        var arguments = Stream.concat(
                Stream.of("-nowarn", "-cp", System.getProperty("java.class.path"), "-d", classes.toString()),
                Repository.files("benchmarks", ".java").stream().map(Path::toString));
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    @Test
    void eachIsListed() throws Exception {
        assertThat(bench())
                .contains(
                        "./engine bench listeners",
                        "./engine bench webhooks",
                        "./engine bench pages",
                        "./engine bench search");
    }

    /** That the right ones hear of each change, that all calls succeed and that no stream is lost, it sees to itself. */
    @Test
    void manyListenersAreServedBesideTheCallsOfOthersAndCostLittle() throws Exception {
        var output = bench("listeners", "--streams", "500", "--seconds", "1");
        assertThat(output).contains("500 open streams", "no stream was lost");
        assertThat(number(HEAP, output)).isBetween(0.5, 20.0);
        assertThat(number(RATIO, output))
                .as("calls beside the streams, to calls before")
                .isPositive();
    }

    /** That each event arrives at each endpoint, and only once, it sees to itself. */
    @Test
    void eventsArriveOnceAtEachEndpoint() throws Exception {
        var output = bench(
                "webhooks", "--endpoints", "5", "--events", "200", "--rate", "50", "--seconds", "2", "--warm", "50");
        assertThat(output).contains("every event arrived once at every endpoint", "1,000 in ");
        assertThat(number(DELIVERIES, output)).isPositive();
    }

    private static double number(Pattern pattern, String output) {
        var found = pattern.matcher(output);
        assertThat(found.find()).as(output).isTrue();
        return Double.parseDouble(found.group(1));
    }

    private String bench(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:+UseCompactObjectHeaders",
                "-Dbench.engine=io.agentworkspace.engine.testing.WatchedEngine",
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + classes,
                "Bench"));
        command.addAll(List.of(arguments));
        var output = directory.resolve("output");
        var builder = new ProcessBuilder(command)
                .directory(Repository.ROOT.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(Wire.reportingHere());
        var process = builder.start();
        var ended = process.waitFor(30, TimeUnit.MINUTES);
        if (!ended) {
            process.destroy();
        }
        assertThat(ended && process.exitValue() == 0)
                .as(Files.readString(output))
                .isTrue();
        return Files.readString(output);
    }
}
