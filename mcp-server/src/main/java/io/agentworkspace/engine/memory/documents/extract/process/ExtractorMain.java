package io.agentworkspace.engine.memory.documents.extract.process;

import io.agentworkspace.engine.memory.documents.extract.TypeDetector;
import io.agentworkspace.engine.model.json.Json;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.SynchronousQueue;

/**
 * The process that extracts text from one file after another: it reads a claim and a file, and writes a report. It has
 * a small heap, an empty environment and its own folder. It has no network access, and ends when the engine does.
 */
public final class ExtractorMain {
    private final Frames frames;
    private final SynchronousQueue<Job> jobs = new SynchronousQueue<>();

    private record Job(Extraction.DeclaredFile claim, byte[] file) {}

    private ExtractorMain(Frames frames) {
        this.frames = frames;
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.ROOT);
        var frames = new Frames(
                new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16),
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        URL.setURLStreamHandlerFactory(protocol -> switch (protocol) {
            case "file", "jar", "jrt" -> null;
            default -> new Refused();
        });
        var main = new ExtractorMain(frames);
        Thread.ofPlatform().daemon().name("jobs").start(main::read);
        TypeDetector.load();
        frames.write(new byte[0]); // Reports that it is ready.
        frames.flush();
        main.work();
    }

    /** Refuses all URLs, since nothing in a document is fetched. */
    private static final class Refused extends URLStreamHandler {
        @Override
        protected URLConnection openConnection(URL url) throws IOException {
            throw new IOException("nothing is fetched");
        }
    }

    /** Reads on a separate thread, so that the end of the engine is noticed during a file too. */
    private void read() {
        try {
            while (true) {
                var claim = Json.readValue(
                        new String(frames.read(), StandardCharsets.UTF_8), Extraction.DeclaredFile.class);
                var file = new ByteArrayOutputStream();
                for (var piece = frames.read(); piece.length > 0; piece = frames.read()) {
                    file.write(piece);
                }
                jobs.put(new Job(claim, file.toByteArray()));
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            Runtime.getRuntime().halt(0);
        }
    }

    private void work() throws IOException, InterruptedException {
        while (true) {
            var job = jobs.take();
            report(Extraction.of(job.file(), job.claim()));
        }
    }

    private void report(Extraction extraction) throws IOException {
        var parts = Extracted.parts(extraction.blocks());
        frames.write(Json.bytes(new Extracted.Head(
                extraction.type(),
                extraction.reasons(),
                Extracted.characters(extraction.blocks()),
                extraction.turns(),
                parts.size())));
        for (var part : parts) {
            frames.write(Json.bytes(part));
        }
        frames.flush();
    }
}
