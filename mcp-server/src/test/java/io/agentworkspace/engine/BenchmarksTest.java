package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.StartUpCache;
import io.agentworkspace.engine.testing.WatchedEngine;
import io.agentworkspace.engine.wire.Wire;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * Short runs of the benchmarks, and of the drills that need only an engine: they fail on wrong results, not on slowness. The engine checks all messages here, which
 * costs about 3 kB for each stream.
 */
@Tag("slow")
class BenchmarksTest {
    private static final Pattern HEAP = Pattern.compile("heap +([0-9.]+) kB for each stream");

    @TempDir
    private static Path classes;

    @TempDir
    private Path directory;

    /** Compiles the benchmarks once, as {@code ./engine bench} does on each run. */
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
                        "./engine bench search",
                        "./engine bench rules",
                        "./engine bench toolsearch",
                        "./engine bench overload",
                        "./engine bench peers");
    }

    /**
     * The benchmark itself checks that the right listeners are notified, that all calls succeed and that no stream is lost.
     */
    @Test
    void manyListenersAreServedBesideTheCallsOfOthersAndCostLittle() throws Exception {
        var output = bench("listeners", "--streams", "500", "--seconds", "1");
        assertThat(output).contains("500 open streams", "no stream was lost");
        assertThat(number(HEAP, output)).isBetween(0.5, 20.0);
    }

    /** The benchmark itself checks that each event arrives once at each endpoint. */
    @Test
    void eventsArriveOnceAtEachEndpoint() throws Exception {
        var output = bench(
                "webhooks", "--endpoints", "5", "--events", "200", "--rate", "50", "--seconds", "2", "--warm", "50");
        assertThat(output).contains("every event arrived once at every endpoint", "1,000 in ");
    }

    /** The benchmark itself checks the results of the templates' conditions. */
    @Test
    void conditionsOfRulesAreEvaluated() throws Exception {
        var output = bench("rules", "--rounds", "1", "--evaluations", "100", "--warm", "100");
        assertThat(output)
                .contains("protect-destroy", "allowed-document-types", "of the templates' conditions take over");
    }

    /** The drill itself checks that each call succeeds, that no write is lost, and that nothing grows from round to round. */
    @Test
    void aMixedLoadLeavesNothingBehind() throws Exception {
        assertThat(run("Drill", "load", "--rounds", "3", "--calls", "5", "--connections", "4"))
                .contains("720 calls", "after round 3", "60 of 60 memories", "60 of 60 messages");
    }

    /** The drill itself checks that each refusal has {@code Retry-After}, and that no acknowledged write is lost. */
    @Test
    void writesAboveTheCapacityAreDoneOrRefusedClearly() throws Exception {
        assertThat(run("Drill", "overload", "--warm", "160", "--calls", "640", "--factor", "10", "--limit", "3600"))
                .contains("640 came", "0 cut off", "0 of ");
    }

    /** The drill itself checks that each client is served in the end, and refused clearly before. */
    @Test
    void clientsThatComeBeforeTheStartAreServed() throws Exception {
        assertThat(run("Drill", "cold-start", "--connections", "100", "--pause", "100", "--limit", "3600"))
                .contains("all 100 were served", "0 of 100 are missing");
    }

    @Test
    void eachDrillIsListed() throws Exception {
        assertThat(run("Drill")).contains("./engine drill load", "./engine drill clocks");
    }

    private static double number(Pattern pattern, String output) {
        var found = pattern.matcher(output);
        assertThat(found.find()).as(output).isTrue();
        return Double.parseDouble(found.group(1));
    }

    private String bench(String... arguments) throws IOException, InterruptedException {
        return run("Bench", arguments);
    }

    private String run(String program, String... arguments) throws IOException, InterruptedException {
        var command = StartUpCache.java();
        command.add("-Dbench.engine=" + WatchedEngine.class.getName());
        command.add(program);
        command.addAll(List.of(arguments));
        var output = directory.resolve("output");
        var builder = new ProcessBuilder(command)
                .directory(Repository.ROOT.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(Wire.reportingHere());
        builder.environment().put("CLASSPATH", StartUpCache.jars() + File.pathSeparator + classes);
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
