import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Measures what one greedy key costs another tenant: calls of AP_Read and MB_Search while the key makes many calls at once, and while
 * it makes none.
 */
final class Fairness implements Bench.Benchmark {
    private static final int ROUNDS = 6;

    @Override
    public String words() {
        return "another tenant's calls while one key makes many at once [--callers 24] [--memories 5000] [--seconds 5]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var greedyCallers = options.number("callers", 24);
        var time = Duration.ofSeconds(options.number("seconds", 5));
        try (var engine = Engine.start()) {
            var greedy = new Callers(engine.url(), engine.key());
            var other = new Callers(engine.url(), engine.tenant("other"));
            for (var tenant : List.of(greedy, other)) {
                tenant.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", "Ada", "description", "d"))));
                tenant.call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", "b"))));
                tenant.call(new Callers.Work("MB_Store", Map.of("target", Map.of("bank", "b"), "content", "the tide turns at 7")));
            }
            engine.fillBanks(options.number("memories", 5_000));
            var kinds = new LinkedHashMap<String, Callers.Work>();
            kinds.put("AP_Read", new Callers.Work("AP_Read", Map.of("target", Map.of("agent", "Ada"))));
            kinds.put("MB_Search", new Callers.Work("MB_Search", Map.of("target", Map.of("bank", "b"), "content", "when does the tide turn")));
            for (var work : kinds.values()) { // Warm-up.
                greedy.work(2, time, _ -> work);
                other.work(1, time, _ -> work);
            }
            for (var load : kinds.entrySet()) {
                var alone = new LinkedHashMap<String, Callers.Latencies>();
                var beside = new LinkedHashMap<String, Callers.Latencies>();
                for (var round = 0; round < ROUNDS; round++) {
                    measure(other, kinds, time.dividedBy(ROUNDS), alone);
                    var all = time.multipliedBy(kinds.size()).dividedBy(ROUNDS).plusMillis(200);
                    var loading = CompletableFuture.supplyAsync(() -> load(greedy, greedyCallers, all, load.getValue()));
                    measure(other, kinds, time.dividedBy(ROUNDS), beside);
                    loading.get();
                }
                System.out.printf("%nbeside %d callers of %s with one key:%n", greedyCallers, load.getKey());
                kinds.keySet().forEach(kind -> System.out.printf(
                        "%-10s alone  %s%n%-10s beside %s: p50 %.1f x, p99 %.1f x%n",
                        kind, alone.get(kind), kind, beside.get(kind), ratio(0.5, beside, alone, kind), ratio(0.99, beside, alone, kind)));
            }
        }
    }

    private static double ratio(
            double quantile, Map<String, Callers.Latencies> beside, Map<String, Callers.Latencies> alone, String kind) {
        return beside.get(kind).millis(quantile) / alone.get(kind).millis(quantile);
    }

    private static void measure(Callers caller, Map<String, Callers.Work> kinds, Duration time, Map<String, Callers.Latencies> into)
            throws Exception {
        for (var kind : kinds.entrySet()) {
            into.merge(kind.getKey(), caller.work(1, time, _ -> kind.getValue()), Callers.Latencies::with);
        }
    }

    private static Callers.Latencies load(Callers caller, int callers, Duration time, Callers.Work work) {
        try {
            return caller.work(callers, time, _ -> work);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
