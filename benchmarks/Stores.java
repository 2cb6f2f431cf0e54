import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/** Measures MB_Store with the embedding model and without one: two engines take turns, so that other work affects them alike. */
final class Stores {
    private static final int WORDS = 30;
    private static final List<String> MODES = List.of("off", "builtin");

    private final int rounds;
    private final Duration turn;

    Stores(int rounds, int seconds) {
        this.rounds = rounds;
        this.turn = Duration.ofSeconds(seconds);
    }

    /** What each turn of an engine took: stores in a second, and microseconds of processor time for a store. */
    private record Turns(List<Double> rates, List<Double> times) {
        Turns() {
            this(new ArrayList<>(), new ArrayList<>());
        }
    }

    void measure() throws Exception {
        var engines = new LinkedHashMap<String, Engine>();
        try {
            for (var mode : MODES) {
                engines.put(mode, Engine.start("--embedding", mode));
            }
            var turns = new LinkedHashMap<String, Turns>();
            for (var engine : engines.entrySet()) {
                var callers = new Callers(engine.getValue().url(), engine.getValue().key());
                callers.call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", "b"))));
                callers.work(1, turn.multipliedBy(2), _ -> store());
                callers.call(new Callers.Work("MB_Search", Map.of("content", "a question that loads the model")));
                turns.put(engine.getKey(), new Turns());
            }
            for (var round = 0; round < rounds; round++) {
                for (var mode : round % 2 == 0 ? MODES : MODES.reversed()) {
                    measure(engines.get(mode), turns.get(mode));
                }
            }
            print(turns);
        } finally {
            for (var engine : engines.values()) {
                engine.close();
            }
        }
    }

    private void measure(Engine engine, Turns turns) throws Exception {
        try (var usage = new Usage(engine.pid(), false, List.of(engine.postmaster()))) {
            var before = usage.now();
            var began = System.nanoTime();
            var calls = new Callers(engine.url(), engine.key()).work(1, turn, _ -> store()).sorted().length;
            var seconds = (System.nanoTime() - began) / 1e9;
            var used = usage.now().minus(before);
            turns.rates().add(calls / seconds);
            turns.times().add((used.jvm() + used.postgres()) / calls);
        }
    }

    private static Callers.Work store() {
        var text = ThreadLocalRandom.current()
                .ints(WORDS, 0, 20_000)
                .mapToObj(word -> "word" + word)
                .collect(Collectors.joining(" "));
        return new Callers.Work("MB_Store", Map.of("target", Map.of("bank", "b"), "content", text));
    }

    private static void print(Map<String, Turns> turns) {
        turns.forEach((mode, each) -> System.out.printf(
                "MB_Store %-8s %s stores/s, %s µs of processor time for each%n", mode, spread(each.rates()), spread(each.times())));
        var off = turns.get(MODES.getFirst());
        var builtin = turns.get(MODES.getLast());
        System.out.printf(
                "builtin / off, round by round: stores/s %s, processor time %s%n",
                ratios(builtin.rates(), off.rates()), ratios(builtin.times(), off.times()));
    }

    private static String spread(List<Double> values) {
        var sorted = values.stream().sorted().toList();
        return "%,.0f (%,.0f to %,.0f)".formatted(quantile(sorted, 0.5), quantile(sorted, 0.25), quantile(sorted, 0.75));
    }

    private static String ratios(List<Double> values, List<Double> others) {
        var ratios = new ArrayList<Double>();
        for (var i = 0; i < values.size(); i++) {
            ratios.add(values.get(i) / others.get(i));
        }
        ratios.sort(null);
        return "%.2f (%.2f to %.2f)".formatted(quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
    }

    private static double quantile(List<Double> sorted, double share) {
        return sorted.get((int) Math.min(sorted.size() - 1, sorted.size() * share));
    }
}
