import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Measures the report "contradictions" of MB_Evaluate on pairs of memories, each pair in a bank that has nothing else: of the pairs
 * that rules were chosen with, and of those that are held out.
 */
final class Contradictions implements Bench.Benchmark {
    private static final Path SET = Path.of("benchmarks/sets/contradictions.txt");
    private static final Map<String, String> BANK = Map.of("bank", "pairs");

    /** How many pairs of a half are contradictions, and how many of these and of the others were reported. */
    private static final class Half {
        private int pairs;
        private int contradictions;
        private int right;
        private int wrong;

        void add(boolean isOne, boolean isReported) {
            pairs++;
            contradictions += isOne ? 1 : 0;
            right += isOne && isReported ? 1 : 0;
            wrong += !isOne && isReported ? 1 : 0;
        }

        void print(String name) {
            System.out.printf(
                    "%-10s %6d %15d %9d %9.3f %7.3f%n",
                    name, pairs, contradictions, right + wrong, right / Math.max(1.0, right + wrong), right / Math.max(1.0, contradictions));
        }
    }

    @Override
    public String words() {
        return "what the report of contradictions sees, on 164 pairs of memories [--misses]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var halves = List.of(new Half(), new Half());
        var isShown = options.arguments().contains("--misses");
        try (var engine = Engine.startWith(null)) {
            var callers = new Callers(engine.url(), engine.key());
            callers.call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", "pairs"))));
            var pairs = Files.readAllLines(SET).stream().filter(line -> !line.startsWith("#")).toList();
            for (var i = 0; i < pairs.size(); i++) {
                var parts = pairs.get(i).split(" \\| ");
                store(callers, "one", parts[1]);
                store(callers, "other", parts[2]);
                var report = callers.call(new Callers.Work("MB_Evaluate", Map.of("target", BANK, "report", "contradictions")));
                var isReported = !report.at("/contradictions/pairs").isEmpty();
                var isOne = parts[0].equals("C");
                halves.get(i % 2).add(isOne, isReported);
                if (isShown && isOne != isReported) {
                    System.out.println((isReported ? "wrong: " : "missed: ") + pairs.get(i));
                }
            }
        }
        System.out.printf("%n%-10s %6s %15s %9s %9s %7s%n", "half", "pairs", "contradictions", "reported", "precision", "recall");
        halves.get(0).print("chosen by");
        halves.get(1).print("held out");
    }

    private static void store(Callers callers, String name, String text) throws Exception {
        callers.call(new Callers.Work("MB_Store", Map.of("target", BANK, "vx", Map.of("name", name), "content", text)));
    }
}
