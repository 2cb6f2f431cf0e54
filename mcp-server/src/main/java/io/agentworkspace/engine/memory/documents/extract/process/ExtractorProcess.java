package io.agentworkspace.engine.memory.documents.extract.process;

import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.model.json.Json;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The engine's side of an extraction process, which is killed if a file takes too long. */
public final class ExtractorProcess implements AutoCloseable {
    /** The heap of a process, in MiB. */
    private static final int HEAP = 256;

    private static final List<String> OPTIONS = List.of(
            "-Xmx" + HEAP + "m",
            "-Xss4m",
            "-XX:MaxMetaspaceSize=128m",
            "-XX:MaxDirectMemorySize=32m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseCompactObjectHeaders",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:-UsePerfData",
            "-Xlog:disable",
            "-Djava.awt.headless=true",
            "-Djdk.xml.entityExpansionLimit=1000",
            "-Djdk.net.hosts.file=/nonexistent");

    private static final Duration START = Duration.ofMinutes(1);

    private final Path folder;
    private final Process process;
    private final Frames frames;
    private final Duration limit;

    private ExtractorProcess(Path folder, Process process, Duration limit) {
        this.folder = folder;
        this.process = process;
        this.limit = limit;
        this.frames = new Frames(
                new BufferedInputStream(process.getInputStream(), 1 << 16),
                new BufferedOutputStream(process.getOutputStream(), 1 << 16));
    }

    /** A file in pieces; an empty piece ends it. */
    @FunctionalInterface
    public interface Pieces {
        byte[] next();
    }

    /**
     * The process ended during a file: the file took too much time or memory, or the process was killed. The message
     * says how it ended.
     */
    public static final class Lost extends Exception {
        Lost(String message) {
            super(message, null, false, false);
        }
    }

    /** @param limit the time limit for one file */
    public static ExtractorProcess start(Duration limit) {
        try {
            var folder = Files.createTempDirectory("engine-extract");
            var command = new ArrayList<String>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(OPTIONS);
            command.add("-Djava.io.tmpdir=" + folder);
            command.add("-Duser.home=" + folder);
            command.add("-cp");
            command.add(classPath());
            command.add(ExtractorMain.class.getName());
            var builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().clear(); // It does not need the engine's secrets.
            var started = new ExtractorProcess(folder, builder.start(), limit);
            started.awaitReady();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("no process can be started to extract text", e);
        }
    }

    /** Waits for the process. Its failure to start is not the fault of a document. */
    private void awaitReady() {
        try {
            within(START, () -> {
                frames.read();
                return true;
            });
        } catch (Lost | RuntimeException e) {
            close();
            throw new IllegalStateException("the process that extracts text does not start", e);
        }
    }

    /** Returns the engine's class path with absolute paths, without logging. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> new File(entry).getAbsolutePath())
                .filter(entry -> !new File(entry).getName().startsWith("logback-"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the process id. */
    public long pid() {
        return process.pid();
    }

    /** @throws Lost and then the process has ended */
    public Extracted extract(Extraction.DeclaredFile claim, Pieces file) throws Lost {
        return within(limit, () -> {
            frames.write(Json.bytes(claim));
            for (var piece = file.next(); piece.length > 0; piece = file.next()) {
                frames.write(piece);
            }
            frames.write(new byte[0]);
            frames.flush();
            return report();
        });
    }

    private interface Exchange<T> {
        T run() throws IOException;
    }

    private <T> T within(Duration time, Exchange<T> exchange) throws Lost {
        var begin = System.nanoTime();
        var done = new CountDownLatch(1);
        var guard = Thread.ofVirtual().name("extraction's limit").start(() -> killAfter(time, done));
        try {
            return exchange.run();
        } catch (IOException | RuntimeException e) {
            kill();
            if (e instanceof RuntimeException failure) {
                throw failure;
            }
            throw new Lost(ending(time, Duration.ofNanos(System.nanoTime() - begin)));
        } finally {
            done.countDown();
            guard.interrupt();
        }
    }

    private static String ending(Duration limit, Duration took) {
        return took.compareTo(limit) < 0
                ? "ended by itself after %.1f s, probably since it needs over %d MiB of memory"
                        .formatted(took.toMillis() / 1_000.0, HEAP)
                : "took over %d s".formatted(limit.toSeconds());
    }

    private void killAfter(Duration time, CountDownLatch done) {
        try {
            if (!done.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Extracted report() throws IOException {
        var head = Json.readValue(text(frames.read()), Extracted.Head.class);
        var parts = new ArrayList<Extracted.Part>();
        for (var i = 0; i < head.parts(); i++) {
            var blocks = text(frames.read());
            parts.add(new Extracted.Part(Extracted.characters(Json.readList(blocks, Block.class)), blocks));
        }
        return new Extracted(head.type(), head.reasons(), head.characters(), head.turns(), parts);
    }

    private static String text(byte[] frame) {
        return new String(frame, StandardCharsets.UTF_8);
    }

    /** Kills the process. */
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        try {
            process.waitFor(5, TimeUnit.SECONDS);
            process.getOutputStream().close();
            process.getInputStream().close();
        } catch (IOException e) {
            // The process has ended.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try (var files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException e) {
            // What remains is in the system's temporary folder.
        }
    }
}
