import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;

/**
 * Tenants are distributed with Citus to one worker. They move to more and more workers while some of them write, then a worker is killed
 * and started again. Between the moves, writes of all tenants are measured by processor time.
 */
final class Primaries implements Bench.Benchmark {
    private static final int CONNECTIONS = 8;

    /** How many of the tenants write while something happens. */
    private static final int WRITERS = 3;

    private static final Duration AWAY = Duration.ofSeconds(5);

    @Override
    public String words() {
        return "tenants on workers with Citus move while they write, and a worker is killed [--workers 3 --tenants 1000 --seconds 20]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        try (var cluster = new CitusCluster(options.number("workers", 3))) {
            var environment = Servers.engine(cluster.coordinator().url(), key);
            var keys = cluster.tenants(environment, options.number("tenants", 1_000));
            cluster.use(1);
            System.out.print(Engine.command(environment, "distribute"));
            try (var engine = Engine.startIn(environment);
                    var trial = new Trial(cluster, engine, keys, Duration.ofSeconds(options.number("seconds", 20)))) {
                trial.run();
            }
        }
    }

    /** Something that is done to the cluster. */
    private interface Action {
        void run() throws Exception;
    }

    /** Microseconds of processor time. */
    private record Times(double engine, double coordinator, List<Double> workers) {
        Times minus(Times before) {
            var all = new ArrayList<Double>();
            for (var i = 0; i < workers.size(); i++) {
                all.add(workers.get(i) - before.workers.get(i));
            }
            return new Times(engine - before.engine, coordinator - before.coordinator, all);
        }

        double busiest() {
            return workers.stream().mapToDouble(each -> each).max().orElseThrow();
        }

        String words(double each) {
            var all = workers.stream().map(used -> "%.0f".formatted(used / each)).toList();
            return "engine %.0f, coordinator %.0f, workers %s".formatted(engine / each, coordinator / each, String.join(" ", all));
        }
    }

    private static final class Trial implements AutoCloseable {
        private final CitusCluster cluster;
        private final Engine engine;
        private final Map<Long, String> keys;
        private final Duration time;
        private final Usage ofEngine;
        private final IntFunction<List<byte[]>> requests;

        Trial(CitusCluster cluster, Engine engine, Map<Long, String> keys, Duration time) throws Exception {
            this.cluster = cluster;
            this.engine = engine;
            this.keys = keys;
            this.time = time;
            ofEngine = new Usage(engine.pid(), true, List.of(cluster.coordinator().postmaster()));
            requests = requests(List.copyOf(keys.values()));
        }

        void run() throws Exception {
            for (var key : keys.values()) {
                var made = Load.ask(engine.url(), request(key, "MB_Create", "\"vx\":{\"name\":\"bench\",\"description\":\"d\"}"));
                if (!made.contains("\"success\":true")) {
                    throw new IllegalStateException("a bank was not created: " + made);
                }
            }
            Load.run(engine.url(), CONNECTIONS, time.multipliedBy(2), requests);
            var one = measure();
            for (var count = 2; count <= cluster.workers().size(); count++) {
                cluster.use(count);
                whileWriting("tenants move to worker " + count, cluster::rebalance);
                System.out.printf("%d workers carry %.2f × of one%n", count, measure() / one);
            }
            loseAWorker();
        }

        /**
         * Writes for a while, and returns how many writes a second the busiest worker could carry with one processor, beside what the
         * engine does for its tenants when nobody calls.
         */
        private double measure() throws Exception {
            Thread.sleep(time); // Until what was left behind is done.
            var beforeIdle = times();
            Thread.sleep(time);
            var idle = times().minus(beforeIdle);
            System.out.printf("idle, %,d tenants: ms a second: %s%n", keys.size(), idle.words(1e3 * time.toSeconds()));
            var before = times();
            var calls = Load.run(engine.url(), CONNECTIONS, time, requests).calls();
            var all = times().minus(before);
            var used = all.minus(idle);
            var rate = calls / used.busiest() * 1e6;
            System.out.printf(
                    "%,d writes, µs each: %s; a processor of the busiest worker carries %.0f a second, %.0f with what it does when idle%n",
                    calls, used.words(calls), rate, calls / all.busiest() * 1e6);
            return rate;
        }

        /** Each connection writes for its share of the tenants, in turn. */
        private IntFunction<List<byte[]>> requests(List<String> keys) {
            var all = new ArrayList<List<byte[]>>();
            for (var i = 0; i < CONNECTIONS; i++) {
                all.add(new ArrayList<>());
            }
            for (var i = 0; i < keys.size(); i++) {
                var content = "\"target\":{\"bank\":\"bench\"},\"content\":\"The tide turns at seven, says the harbour master. %d\"".formatted(i);
                all.get(i % CONNECTIONS).add(request(keys.get(i), "MB_Store", content));
            }
            return all::get;
        }

        private byte[] request(String key, String tool, String fields) {
            return Load.request(
                    engine.url() + "/demo/v1/Engine/tps", "X-Api-Key: %s\r\n".formatted(key), "{\"service\":\"%s\",%s}".formatted(tool, fields));
        }

        private Times times() throws Exception {
            var workers = new ArrayList<Double>();
            for (var worker : cluster.workers()) {
                try (var usage = new Usage(0, false, List.of(worker.postmaster()))) {
                    workers.add(usage.now().postgres());
                }
            }
            var sum = ofEngine.now();
            return new Times(sum.jvm(), sum.postgres(), workers);
        }

        private Map<Long, Writes> writers(List<Long> tenants) throws Exception {
            var writers = new HashMap<Long, Writes>();
            for (var tenant : tenants) {
                writers.put(tenant, new Writes(List.of(engine.url()), keys.get(tenant), 1));
            }
            for (var each : writers.values()) {
                each.awaitMore(3);
                each.mark();
            }
            return writers;
        }

        private void whileWriting(String what, Action action) throws Exception {
            var writers = writers(keys.keySet().stream().limit(WRITERS).toList());
            var start = System.nanoTime();
            action.run();
            System.out.printf("%s, in %.0f s%n", what, (System.nanoTime() - start) / 1e9);
            finish(writers.values());
            report("all", writers.values());
        }

        /** One tenant of each worker writes. */
        private void loseAWorker() throws Exception {
            var lost = cluster.workers().getFirst();
            var tenants = new HashMap<Servers, Long>();
            for (var each = keys.keySet().iterator(); tenants.size() < cluster.workers().size(); ) {
                var tenant = each.next();
                tenants.putIfAbsent(cluster.of(tenant), tenant);
            }
            var writers = writers(List.copyOf(tenants.values()));
            var ofLost = new ArrayList<Writes>();
            var others = new ArrayList<Writes>();
            for (var tenant : writers.keySet()) {
                (cluster.of(tenant) == lost ? ofLost : others).add(writers.get(tenant));
            }
            lost.signalPrimary("KILL");
            Thread.sleep(AWAY);
            lost.startPrimary();
            System.out.printf("worker 1 was killed, and started again %d s later%n", AWAY.toSeconds());
            finish(writers.values());
            report("its tenants", ofLost);
            report("others", others);
        }

        private void finish(Collection<Writes> writers) throws Exception {
            var texts = new HashSet<String>();
            for (var each : writers) {
                each.awaitMore(3);
                each.close();
                texts.addAll(each.texts());
            }
            Writes.check(cluster.coordinator().url(), texts);
        }

        private static void report(String who, Collection<Writes> writers) {
            ToDoubleFunction<Writes> gap = each -> each.longestGap().toMillis() / 1e3;
            System.out.printf(
                    "  %s: %,d acknowledged, %,d refused or cut off; the longest time that one could not write: %.1f s%n",
                    who,
                    writers.stream().mapToInt(Writes::count).sum(),
                    writers.stream().mapToInt(Writes::failures).sum(),
                    writers.stream().mapToDouble(gap).max().orElse(0));
        }

        @Override
        public void close() throws Exception {
            ofEngine.close();
        }
    }
}
