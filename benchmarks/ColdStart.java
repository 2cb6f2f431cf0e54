import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An engine starts on an empty database while many clients already try to reach it. */
final class ColdStart implements Bench.Benchmark {
    @Override
    public String words() {
        return "a start under many connections that already try [--connections 1500 --pause 1000 --limit 60]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var connections = options.number("connections", 1_500);
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var environment = Map.of("ENGINE_BOOTSTRAP_KEY", key, "ENGINE_EMBEDDING", "off");
        var start = System.nanoTime();
        try (var _ = Engine.startIn(environment)) {
            System.out.printf("ready after %.1f s without clients%n", seconds(start));
        }
        var port = Servers.freePort();
        try (var attempts = new Attempts("http://127.0.0.1:" + port, key)) {
            start = System.nanoTime();
            var clients = clients(attempts, connections, options.number("pause", 1_000));
            try (var engine = Engine.startAt(port, environment)) {
                System.out.printf("ready after %.1f s under %,d clients%n", seconds(start), connections);
                var ready = System.nanoTime();
                for (var client : clients) {
                    client.join();
                }
                var served = seconds(ready);
                System.out.printf(
                        "  all %,d were served %.1f s later; before, %,d tries found no server and %,d were refused with Retry-After%n",
                        attempts.acknowledged().size(), served, attempts.cut(), attempts.refused());
                attempts.check();
                Writes.check(engine.database(), attempts.acknowledged());
                if (attempts.acknowledged().size() != connections) {
                    throw new IllegalStateException("a client was not served");
                }
                Drill.limit("all served after", served, options.number("limit", 60));
            }
        }
    }

    /** Each tries until its write is acknowledged, with this pause in milliseconds, as {@code Retry-After} asks. */
    private static List<Thread> clients(Attempts attempts, int count, int pause) {
        var clients = new ArrayList<Thread>();
        for (var i = 0; i < count; i++) {
            clients.add(Thread.ofVirtual().start(() -> {
                try {
                    while (!attempts.attempt()) {
                        Thread.sleep(pause);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        return clients;
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }
}
