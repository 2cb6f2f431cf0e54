import java.sql.Connection;
import java.sql.DriverManager;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.ArrayList;
import java.util.function.IntFunction;

/** Measures what things take: bytes in the tables and in the write-ahead log for each, and memory for each open stream; and sums it up for a month. */
final class Sizes implements Bench.Benchmark {
    private static final int CALLERS = 2;
    private static final int DAYS = 30;

    /** With the rows of housekeeping tables, too, such as the audit and the feed of events. */
    private static final String BYTES = """
            SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
            """;

    private static final String LOG = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')";

    @Override
    public String words() {
        return "disk of each message, memory and task, of a month of agents, and memory of each stream [--calls 2000 --streams 500 --agents 1000 --messages 50 --memories 20 --tasks 5]";
    }

    /** What one thing takes in bytes. */
    private record Size(double disk, double log) {}

    @Override
    public void run(Bench.Options options) throws Exception {
        var calls = options.number("calls", 2_000);
        try (var engine = Engine.start();
                var database = DriverManager.getConnection(engine.database())) {
            var callers = new Callers(engine.url(), engine.key());
            callers.call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", "b"))));
            callers.call(new Callers.Work("DM_Create", Map.of("vx", Map.of("name", "d", "description", "Of the bench."))));
            for (var agent = 0; agent < 20; agent++) {
                callers.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", "Agent" + agent, "description", "Of the bench."))));
            }
            var sizes = new LinkedHashMap<String, Size>();
            for (var kind : kinds().entrySet()) {
                call(callers, calls / 4, kind.getValue()); // The first pages of each table.
                var disk = value(database, BYTES);
                var log = value(database, LOG);
                call(callers, calls, number -> kind.getValue().apply(number + calls));
                var size = new Size((value(database, BYTES) - disk) / calls, (value(database, LOG) - log) / calls);
                sizes.put(kind.getKey(), size);
                System.out.printf("  %-10s %6.2f kB of tables and indexes, %6.2f kB of write-ahead log%n", kind.getKey(), size.disk() / 1e3, size.log() / 1e3);
            }
            month(options, sizes);
            streams(options.number("streams", 500), engine);
        }
    }

    private static Map<String, IntFunction<Callers.Work>> kinds() {
        var text = "The tide turns at %d, and the pilot boat leaves the harbour before it does so: keep the gate open. ".repeat(3);
        var kinds = new LinkedHashMap<String, IntFunction<Callers.Work>>();
        kinds.put("message", n -> new Callers.Work("AP_Chat", Map.of("target", Map.of("agent", "Agent" + n % 20), "content", text.formatted(n, n, n))));
        kinds.put("memory", n -> new Callers.Work("MB_Store", Map.of("target", Map.of("bank", "b"), "content", text.formatted(n, n, n))));
        kinds.put("task", n -> new Callers.Work("TK_Create", Map.of("target", Map.of("domain", "d"), "vx", Map.of("name", "Look after gate " + n, "description", text.formatted(n, n, n)))));
        kinds.put("read", n -> new Callers.Work("AP_Read", Map.of("target", Map.of("agent", "Agent" + n % 20))));
        return kinds;
    }

    private static void call(Callers callers, int count, IntFunction<Callers.Work> work) throws Exception {
        try (var threads = Executors.newFixedThreadPool(CALLERS)) {
            var running = new ArrayList<Future<?>>();
            for (var i = 0; i < count; i++) {
                var number = i;
                running.add(threads.submit(() -> callers.call(work.apply(number))));
            }
            for (var one : running) {
                one.get();
            }
        }
    }

    private static double value(Connection database, String query) throws Exception {
        try (var row = database.createStatement().executeQuery(query)) {
            row.next();
            return row.getDouble(1);
        }
    }

    private static void month(Bench.Options options, Map<String, Size> sizes) {
        var agents = options.number("agents", 1_000);
        var each = Map.of(
                "message", options.number("messages", 50), "memory", options.number("memories", 20), "task", options.number("tasks", 5));
        var disk = 0.0;
        var log = 0.0;
        for (var kind : each.entrySet()) {
            var count = (double) agents * kind.getValue() * DAYS;
            disk += count * sizes.get(kind.getKey()).disk();
            log += count * sizes.get(kind.getKey()).log();
        }
        System.out.printf("%,d agents for %d days, each day %s: %.1f GB of tables, %.1f GB of write-ahead log%n", agents, DAYS, new java.util.TreeMap<>(each), disk / 1e9, log / 1e9);
    }

    private static void streams(int count, Engine engine) throws Exception {
        try (var streams = new Streams(engine.url(), engine.key())) {
            var heap = engine.heap();
            for (var i = 0; i < count; i++) {
                streams.open("engine://agents/Agent" + i % 20);
            }
            streams.awaitAcknowledged();
            System.out.printf("%,d open streams: %.1f kB of heap for each%n", count, (engine.heap() - heap) / 1e3 / count);
            streams.check();
        }
    }
}
