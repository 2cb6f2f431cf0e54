import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;

/** A disk becomes full while writes go on, and gets room again: that of the embedded database, or that of a replica. Needs root, for the disk. */
final class DiskFull implements Bench.Benchmark {
    @Override
    public String words() {
        return "the disk of the embedded database, or of a replica, is full for a while [--case database|replica --megabytes 900 --seconds 10 --writers 6]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var disk = Files.createTempDirectory("engine-drill-disk");
        run("mount", "-t", "tmpfs", "-o", "mode=755,size=%dm".formatted(options.number("megabytes", 900)), "tmpfs", disk.toString());
        try {
            if (options.text("case", "database").equals("database")) {
                try (var engine = Engine.startOn(disk.resolve("data"), new HashMap<>(java.util.Map.of("ENGINE_EMBEDDING", "off")))) {
                    fill(options, disk, engine, engine.key(), engine.database(), true);
                }
            } else {
                var key = ApiKey.generate(new SecureRandom()).reveal();
                try (var servers = Servers.alone();
                        var engine = Engine.startOn(disk.resolve("data"), Servers.engine(servers.url(), key))) {
                    fill(options, disk, engine, key, servers.url(), false);
                }
            }
        } finally {
            run("umount", disk.toString());
        }
    }

    private static void fill(Bench.Options options, Path disk, Engine engine, String key, String database, boolean isEmbedded) throws Exception {
        var writes = new Writes(List.of(engine.url()), key, options.number("writers", 6));
        writes.awaitMore(200);
        writes.mark();
        var filler = disk.resolve("filler");
        fill(filler);
        System.out.printf("health before: %s%n", health(engine));
        var end = System.nanoTime() + 1_000_000_000L * options.number("seconds", 10);
        var worst = "";
        while (System.nanoTime() < end) {
            fill(filler); // What was given back is taken again.
            var health = health(engine);
            worst = health.contains("full") ? health : worst;
            Thread.sleep(500);
        }
        System.out.printf("  health while it was full: %s%n", worst.isEmpty() ? health(engine) : worst);
        var failures = writes.failures();
        writes.report("the disk was full for %d s".formatted(options.number("seconds", 10)));
        var start = System.nanoTime();
        Files.delete(filler);
        writes.awaitMore(100);
        System.out.printf("  with room again, 100 writes took %.1f s%n", (System.nanoTime() - start) / 1e9);
        writes.close();
        writes.report("in all");
        if (isEmbedded && failures == 0) {
            throw new IllegalStateException("the disk was not full");
        }
        writes.check(database);
        writes.limit(isEmbedded ? 30 * options.number("seconds", 10) : 0, isEmbedded ? options.number("seconds", 10) + 20 : 10);
    }

    /** Writes until there is no room. */
    private static void fill(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(
                file, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND)) {
            for (var size = 1 << 20; size > 0; size = size == 1 << 20 ? 4_096 : 0) {
                try {
                    while (true) {
                        out.write(new byte[size]);
                    }
                } catch (IOException e) {
                    // There is no room for this size.
                }
            }
        }
    }

    private static String health(Engine engine) throws InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(engine.url() + "/api/health")).build();
            return client.send(request, BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void run(String... command) throws Exception {
        var process = new ProcessBuilder(command).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed; this drill needs root");
        }
    }
}
