import java.net.URI;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Reads, writes and searches over all protocols at half the peak. What the process holds at the end of a round, after garbage
 * collection, is compared between an early round and the last. A round closes its connections.
 */
final class MixedLoad implements Bench.Benchmark {
    private static final int ROUND_SECONDS = 60;

    @Override
    public String words() {
        return "a mixed load at half the peak, after which nothing has grown [--minutes 60 --connections 8 --rounds <instead of minutes> --calls 40]";
    }

    /**
     * @param heap the bytes of reachable objects
     * @param files open files and sockets
     * @param connections to the database
     */
    private record Held(long heap, int threads, int files, int connections) {
        static Held of(Engine engine) throws Exception {
            var connections = count(engine, "pg_stat_activity WHERE application_name LIKE 'agent-workspace-engine%'");
            return new Held(engine.heap(), engine.threads(), engine.files(), (int) connections);
        }

        boolean isMoreThan(Held early) {
            return heap > early.heap * 1.3 + 10e6
                    || threads > early.threads + 10
                    || files > early.files + 10
                    || connections > early.connections + 2;
        }

        @Override
        public String toString() {
            return "%.1f MB of objects, %d threads, %d files, %d connections to the database".formatted(heap / 1e6, threads, files, connections);
        }
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var connections = options.number("connections", 8);
        var isFixed = options.text("rounds") != null;
        try (var engine = Engine.start()) {
            var workspace = new Workspace(engine);
            var mix = workspace.mixed();
            var calls = options.number("calls", 40) * mix.apply(0).size();
            round(engine.url(), connections, mix, calls, 0);
            var start = System.nanoTime();
            round(engine.url(), connections, mix, calls, 0);
            var peak = 1e9 * connections * calls / (System.nanoTime() - start);
            var rounds = isFixed ? options.number("rounds", 0) : Math.max(2, options.number("minutes", 60) * 60 / ROUND_SECONDS);
            if (!isFixed) {
                var perMix = mix.apply(0).size() * connections;
                calls = mix.apply(0).size() * Math.max(1, (int) (peak / 2 * ROUND_SECONDS / perMix));
            }
            var stored = count(engine, "memory");
            var said = count(engine, "message");
            var first = Math.max(1, rounds / 6);
            Held early = null;
            Held last = null;
            start = System.nanoTime();
            for (var i = 1; i <= rounds; i++) {
                round(engine.url(), connections, mix, calls, isFixed ? 0 : peak / 2);
                last = Held.of(engine);
                early = i <= first ? last : early;
                System.err.printf("round %d of %d: %s%n", i, rounds, last);
            }
            var all = (long) rounds * connections * calls;
            System.out.printf("%,d calls in %,.0f s, %s; each succeeded%n", all, (System.nanoTime() - start) / 1e9,
                    isFixed ? "as fast as possible" : "at half of the peak of %,.0f a second".formatted(peak));
            System.out.printf("  after round %d:  %s%n  after round %d: %s%n", first, early, rounds, last);
            check("memories", count(engine, "memory") - stored, all / mix.apply(0).size());
            check("messages", count(engine, "message") - said, all / mix.apply(0).size());
            if (last.isMoreThan(early)) {
                throw new IllegalStateException("something grew");
            }
        }
    }

    private static void check(String what, long found, long sent) {
        System.out.printf("  in the database: %,d of %,d %s%n", found, sent, what);
        if (found != sent) {
            throw new IllegalStateException("writes are lost, or there twice");
        }
    }

    /** @param rate the calls a second of all connections; 0: as many as possible */
    private static void round(String url, int connections, IntFunction<List<byte[]>> mix, int calls, double rate)
            throws Exception {
        var pause = rate == 0 ? 0 : (long) (1e9 * connections / rate);
        var start = System.nanoTime();
        var shifts = new ArrayList<Callable<Void>>();
        for (var i = 0; i < connections; i++) {
            var requests = mix.apply(i);
            shifts.add(() -> {
                try (var connection = new Load.Connection(URI.create(url))) {
                    for (var k = 0; k < calls; k++) {
                        LockSupport.parkNanos(start + k * pause - System.nanoTime());
                        connection.send(requests.get(k % requests.size()));
                    }
                }
                return null;
            });
        }
        try (var threads = Executors.newFixedThreadPool(connections)) {
            for (var shift : threads.invokeAll(shifts)) {
                shift.get();
            }
        }
    }

    private static long count(Engine engine, String rows) throws Exception {
        try (var connection = DriverManager.getConnection(engine.database());
                var row = connection.createStatement().executeQuery("SELECT count(*) FROM " + rows)) {
            row.next();
            return row.getLong(1);
        }
    }
}
