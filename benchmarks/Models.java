import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Compares models of embeddings on {@link SearchSets}, without an engine: by meaning alone, and in the sum of {@code Fusion}
 * with plain BM25. How much meaning counts in it is chosen for each model on the even questions, and measured on the odd ones.
 */
final class Models implements Bench.Benchmark {
    private static final int HITS = 10;
    private static final int COMPARED = 17;
    private static final double BASE = 0.1;
    private static final double[] STANDING_OUT = {5, 10, 20, 38, 80, 160, 320, 640, 1_280, 2_560};

    /** A question with the figures of all texts of its bank. */
    private record Question(double[] words, double[] likenesses, Map<Integer, Integer> answers, boolean isFitted) {
        double[] fused(double standingOut) {
            var sorted = likenesses.clone();
            Arrays.sort(sorted);
            var best = sorted[sorted.length - 1];
            var compared = sorted[Math.max(0, sorted.length - COMPARED)];
            var weight = standingOut * (best - compared) * (best - compared);
            var values = new double[words.length];
            Arrays.setAll(values, i -> words[i] * words[i] + weight * Math.max(0, likenesses[i] - compared) + BASE * likenesses[i]);
            return values;
        }
    }

    @Override
    public String words() {
        return "models of embeddings compared --models name=jar,name=jar [--tokens 126] [--front text] [--sets notes,small,…] [--banks 3] [--every 1], with the folders of search";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var sets = SearchSets.read(options);
        System.out.printf(
                "%-22s %-12s %9s %13s %13s %13s %13s %12s%n",
                "model", "set", "odd", "first, alone", "nDCG, alone", "first, fused", "nDCG, fused", "all@10, fused");
        for (var named : options.text("models").split(",")) {
            var name = named.split("=")[0];
            try (var model = new OnnxModel(name, Path.of(named.split("=")[1]))) {
                for (var set : sets.entrySet()) {
                    var questions = new ArrayList<Question>();
                    for (var bank : set.getValue()) {
                        questions.addAll(questions(bank, model, options));
                    }
                    print(name, set.getKey(), questions);
                }
                System.out.printf("%s: %.2f ms of processor time for the vector of a question%n", name, model.millis());
            }
        }
    }

    private static List<Question> questions(SearchSets.Set set, OnnxModel model, Bench.Options options) throws IOException {
        var front = options.text("front", "");
        var texts = set.texts().stream().map(text -> model.text(front + text, options.number("tokens", 126))).toList();
        var questions = new ArrayList<Question>();
        try (var plain = new PlainRanking(set.texts())) {
            for (var i = 0; i < set.queries().size(); i += options.number("every", 1)) {
                var answers = set.answers().get(i);
                if (!answers.isEmpty()) {
                    var query = Search.plain(set.queries().get(i));
                    var vector = model.question(query);
                    var likenesses = texts.stream().mapToDouble(parts -> likeness(vector, parts)).toArray();
                    questions.add(new Question(plain.shares(query), likenesses, answers, questions.size() % 2 == 0));
                }
            }
        }
        return questions;
    }

    private static double likeness(float[] question, List<float[]> parts) {
        return parts.stream()
                .mapToDouble(part -> IntStream.range(0, part.length).mapToDouble(i -> question[i] * part[i]).sum())
                .max()
                .orElse(-1);
    }

    private static void print(String name, String set, List<Question> questions) {
        var fitted = questions.stream().filter(Question::isFitted).toList();
        var odd = questions.stream().filter(each -> !each.isFitted()).toList();
        var chosen = Arrays.stream(STANDING_OUT)
                .boxed()
                .max(Comparator.comparingDouble(constant -> Figures.of(fitted, constant).gain()))
                .orElseThrow();
        var alone = Figures.of(odd, Double.POSITIVE_INFINITY);
        var fused = Figures.of(odd, chosen);
        System.out.printf(
                "%-22s %-12s %9d %13.3f %13.3f %13.3f %13.3f %12.3f%n",
                name, set, odd.size(), alone.first(), alone.gain(), fused.first(), fused.gain(), fused.all());
    }

    /** Figures of an order. */
    private record Figures(double first, double gain, double all) {
        /** @param standingOut how much meaning counts; infinite for meaning alone */
        static Figures of(List<Question> questions, double standingOut) {
            var first = 0.0;
            var gain = 0.0;
            var all = 0.0;
            for (var each : questions) {
                var values = Double.isInfinite(standingOut) ? each.likenesses() : each.fused(standingOut);
                var best = IntStream.range(0, values.length)
                        .boxed()
                        .sorted(Comparator.comparingDouble(i -> -values[i]))
                        .limit(HITS)
                        .map(i -> each.answers().getOrDefault(i, 0))
                        .toList();
                first += best.getFirst() > 0 ? 1 : 0;
                gain += Search.gain(best) / Search.gain(each.answers().values().stream().sorted(Comparator.reverseOrder()).toList());
                all += best.stream().filter(grade -> grade > 0).count() == each.answers().size() ? 1 : 0;
            }
            var of = Math.max(1, questions.size());
            return new Figures(first / of, gain / of, all / of);
        }
    }
}
