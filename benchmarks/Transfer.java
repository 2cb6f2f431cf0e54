import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Moves a large bank into a fresh engine, and compares its export there with the first one: it must be the same file. */
final class Transfer implements Bench.Benchmark {
    private static final String BANK = "moved";
    private static final int TRIES = 20;

    private final HttpClient http = HttpClient.newHttpClient();

    @Override
    public String words() {
        return "the export of a bank, imported into a fresh engine and exported again [--memories 10000]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var first = Files.createTempFile("export", ".jsonl");
        var second = Files.createTempFile("export", ".jsonl");
        try (var engine = Engine.start("--embedding", "off");
                var fresh = Engine.start("--embedding", "off")) {
            fill(engine, options.number("memories", 10_000));
            timed("exported", () -> export(engine, first));
            new Callers(fresh.url(), fresh.key()).call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", BANK))));
            timed("imported", () -> imported(fresh, first));
            timed("exported again", () -> export(fresh, second));
            if (Files.mismatch(first, second) >= 0) {
                throw new IllegalStateException("the second export is another file");
            }
            try (var lines = Files.lines(first)) {
                System.out.printf("%,d lines, %,d bytes: the second export is the same file%n", lines.count(), Files.size(first));
            }
            timed("imported again, which changes nothing", () -> imported(fresh, first));
        } finally {
            Files.deleteIfExists(first);
            Files.deleteIfExists(second);
        }
    }

    /** Most memories are made by the database. A few have a name, a source and a former revision. */
    private static void fill(Engine engine, int memories) throws Exception {
        var callers = new Callers(engine.url(), engine.key());
        callers.call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", BANK))));
        var target = Map.of("bank", BANK);
        var source = callers.call(new Callers.Work("MB_Store", Map.of("target", target, "content", "The tide turns at noon.")));
        for (var revision = 1; revision <= 3; revision++) {
            callers.call(new Callers.Work("MB_Store", Map.of(
                    "target", target,
                    "content", "Low water, revision %d".formatted(revision),
                    "vx", Map.of("name", "tides"),
                    "derived_from", List.of(source.at("/memory/id").asString()))));
        }
        engine.fillBanks(memories - 2);
    }

    /** A part of a benchmark. */
    private interface Step {
        void run() throws Exception;
    }

    private static void timed(String name, Step step) throws Exception {
        var began = System.nanoTime();
        step.run();
        System.out.printf("%s in %.1f s%n", name, (System.nanoTime() - began) / 1e9);
    }

    private static HttpRequest.Builder request(Engine engine, String path) throws Exception {
        return HttpRequest.newBuilder(URI.create(engine.url() + "/api/banks/" + BANK + path)).header("X-Api-Key", engine.key());
    }

    private void export(Engine engine, Path file) throws Exception {
        var response = http.send(request(engine, "/export?revisions=true").build(), BodyHandlers.ofFile(file));
        if (response.statusCode() != 200) {
            throw new IllegalStateException("the export failed: " + Files.readString(file));
        }
    }

    /** Sends the file again where a busy machine exceeded the time limit of a portion: the import goes on where it stopped. */
    private void imported(Engine engine, Path file) throws Exception {
        var response = sent(engine, file);
        for (var tries = 1; response.statusCode() == 503 && tries < TRIES; tries++) {
            response = sent(engine, file);
        }
        if (response.statusCode() >= 300) {
            throw new IllegalStateException("the import failed: " + response.body());
        }
        var report = Callers.JSON.readTree(response.body());
        System.out.printf("%,d stored, %,d unchanged; ", report.path("stored").asInt(), report.path("unchanged").asInt());
    }

    private HttpResponse<String> sent(Engine engine, Path file) throws Exception {
        var head = "--x\r\nContent-Disposition: form-data; name=\"format\"\r\n\r\nengine\r\n"
                + "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
        return http.send(
                request(engine, "/import")
                        .timeout(Duration.ofMinutes(30))
                        .header("Content-Type", "multipart/form-data; boundary=x")
                        .POST(BodyPublishers.concat(
                                BodyPublishers.ofString(head), BodyPublishers.ofFile(file), BodyPublishers.ofString("\r\n--x--\r\n")))
                        .build(),
                BodyHandlers.ofString());
    }
}
