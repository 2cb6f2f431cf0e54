import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The benchmarks. Each starts its own engine with an empty database and prints its measurements. A benchmark fails if
 * the engine returns a wrong result, never because it is slow.
 *
 * <p>Run them with {@code ./engine bench}.
 */
final class Bench {
    private static final Map<String, Benchmark> ALL = new LinkedHashMap<>();

    static {
        ALL.put("listeners", new Listeners());
        ALL.put("webhooks", new Webhooks());
        ALL.put("pages", new Pages());
        ALL.put("search", new Search());
        ALL.put("contradictions", new Contradictions());
        ALL.put("bank", new BankGrowth());
        ALL.put("models", new Models());
        ALL.put("transfer", new Transfer());
        ALL.put("calls", new Calls());
        ALL.put("rules", new Rules());
        ALL.put("fairness", new Fairness());
        ALL.put("hearing", new Hearing());
        ALL.put("messages", new Messages());
        ALL.put("tasks", new Tasks());
        ALL.put("upstreams", new Upstreams());
        ALL.put("toolsearch", new ToolSearch());
        ALL.put("overload", new Overload());
        ALL.put("peers", new Peers());
        ALL.put("sizes", new Sizes());
    }

    /** A benchmark. */
    interface Benchmark {
        /** Returns its description for the list. */
        String words();

        /** @param options the arguments after its name */
        void run(Options options) throws Exception;
    }

    /** The arguments of a benchmark: numbers such as {@code --streams 500}, and texts. */
    record Options(List<String> arguments) {
        int number(String name, int otherwise) {
            var at = arguments.indexOf("--" + name);
            return at < 0 ? otherwise : Integer.parseInt(arguments.get(at + 1));
        }

        /** Returns null if the option is not there. */
        String text(String name) {
            var at = arguments.indexOf("--" + name);
            return at < 0 ? null : arguments.get(at + 1);
        }

        String text(String name, String otherwise) {
            var at = arguments.indexOf("--" + name);
            return at < 0 ? otherwise : arguments.get(at + 1);
        }
    }

    private Bench() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0) {
            ALL.forEach((name, benchmark) -> System.out.printf("  ./engine bench %-12s %s%n", name, benchmark.words()));
            return;
        }
        var benchmark = ALL.get(arguments[0]);
        if (benchmark == null) {
            System.err.printf("there is no benchmark '%s'; there are: %s%n", arguments[0], String.join(", ", ALL.keySet()));
            System.exit(2);
        }
        if (List.of(arguments).contains("--help")) {
            System.out.printf("  ./engine bench %-12s %s%n", arguments[0], benchmark.words());
            return;
        }
        benchmark.run(new Options(List.of(arguments).subList(1, arguments.length)));
    }
}
