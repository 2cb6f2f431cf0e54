import io.agentworkspace.engine.credentials.ApiKey;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A mixed load of writes and reads for a while, after a cold start under many connections. Memory, threads, connections and open
 * files are compared between its beginning and its end.
 */
final class MixedLoad implements Bench.Benchmark {
    @Override
    public String words() {
        return "a mixed load for a while, after a start under many connections [--seconds 180 --writers 4 --readers 4 --connections 1500]";
    }

    /** What the process holds: bytes of reachable objects, threads, open files; and connections to the database. */
    private record Held(long heap, int threads, int files, int connections) {
        static Held of(Engine engine, String url) throws Exception {
            var process = Path.of("/proc", Long.toString(engine.pid()));
            try (var files = Files.list(process.resolve("fd"));
                    var threads = Files.list(process.resolve("task"));
                    var connection = DriverManager.getConnection(url);
                    var row = connection.createStatement().executeQuery(
                            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'agent-workspace-engine%'")) {
                row.next();
                return new Held(engine.heap(), (int) threads.count(), (int) files.count(), row.getInt(1));
            }
        }

        @Override
        public String toString() {
            return "%.1f MB of objects, %d threads, %d files, %d connections".formatted(heap / 1e6, threads, files, connections);
        }
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var seconds = options.number("seconds", 180);
        try (var servers = Servers.alone()) {
            var port = Servers.freePort();
            var waiting = coldStart(port, options.number("connections", 1_500));
            try (var engine = Engine.startAt(port, Servers.engine(servers.url(), key))) {
                System.out.printf("a cold start: %,d of %,d connections were answered%n", waiting.join(), options.number("connections", 1_500));
                var writes = new Writes(List.of(engine.url()), key, options.number("writers", 4));
                writes.awaitMore(500); // Until everything is loaded.
                var readers = new Readers(engine.url(), key, options.number("readers", 4));
                Thread.sleep(1_000L * Math.max(1, seconds / 6));
                var before = Held.of(engine, servers.url());
                writes.mark();
                Thread.sleep(1_000L * (seconds - seconds / 6));
                var after = Held.of(engine, servers.url());
                writes.close();
                readers.close();
                writes.report("%d s of mixed load".formatted(seconds));
                System.out.printf("  %,d reads, %d failed%n", readers.done.get(), readers.failed.get());
                System.out.printf("  before: %s%n  after:  %s%n", before, after);
                writes.check(servers.url());
                if (readers.failed.get() > 0
                        || after.threads() > before.threads() + 10
                        || after.files() > before.files() + 20
                        || after.connections() > before.connections()
                        || after.heap() > before.heap() * 1.3 + 10e6) {
                    throw new IllegalStateException("something grew, or a read failed");
                }
            }
        }
    }

    /** The connections that wait for an engine to start, and their answers. */
    private record Waiting(List<Thread> callers, AtomicInteger answered) {
        int join() throws InterruptedException {
            for (var caller : callers) {
                caller.join();
            }
            return answered.get();
        }
    }

    private static Waiting coldStart(int port, int connections) {
        var waiting = new Waiting(new ArrayList<>(), new AtomicInteger());
        for (var i = 0; i < connections; i++) {
            waiting.callers().add(Thread.ofVirtual().start(() -> {
                while (!isLive(port)) {
                    pause();
                }
                waiting.answered().incrementAndGet();
            }));
        }
        return waiting;
    }

    private static boolean isLive(int port) {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream()
                    .write("GET /api/health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".getBytes());
            return new String(socket.getInputStream().readAllBytes()).startsWith("HTTP/1.1 200");
        } catch (IOException e) {
            return false;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Readers {
        private final AtomicInteger done = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private final List<Thread> callers = new ArrayList<>();
        private final HttpClient client = HttpClient.newHttpClient();
        private volatile boolean over;

        Readers(String url, String key, int count) {
            var request = HttpRequest.newBuilder(URI.create(url + "/demo/v1/Engine/tps/agent/list"))
                    .header("X-Api-Key", key)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{}"))
                    .build();
            for (var i = 0; i < count; i++) {
                callers.add(Thread.ofVirtual().start(() -> {
                    while (!over) {
                        read(request);
                    }
                }));
            }
        }

        private void read(HttpRequest request) {
            try {
                failed.addAndGet(client.send(request, BodyHandlers.discarding()).statusCode() == 200 ? 0 : 1);
            } catch (IOException e) {
                failed.incrementAndGet();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            done.incrementAndGet();
        }

        void close() throws InterruptedException {
            over = true;
            for (var caller : callers) {
                caller.join();
            }
        }
    }
}
