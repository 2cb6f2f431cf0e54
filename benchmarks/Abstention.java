import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Compares designs of abstaining: each makes one figure of a question's hits, below whose threshold nothing is returned. The threshold is
 * chosen on the even questions, where 0.05 of those with an answer are below it, and judged on the odd ones.
 */
final class Abstention {
    private static final double LOST = 0.05;
    private static final List<Double> WEIGHTS = List.of(0.25, 0.5, 1.0);

    private final Map<String, List<Asked>> designs = new LinkedHashMap<>();

    /** A question, by a design's figure. */
    private record Asked(boolean isAnswerable, double figure) {}

    /** A hit as it was returned. */
    record Hit(String text, String speaker, double score) {}

    /** @param hits whatever their scores, the best first */
    void add(String question, boolean isAnswerable, List<Hit> hits, PlainRanking plain) throws IOException {
        var best = hits.stream().mapToDouble(Hit::score).max().orElse(0);
        put("the best score (used)", isAnswerable, best);
        put("its distance to the fifth", isAnswerable, best - (hits.size() < 5 ? 0 : hits.get(4).score()));
        var first = plain.coverage(question, hits.stream().limit(1).map(Hit::text).toList());
        var three = plain.coverage(question, hits.stream().limit(3).map(Hit::text).toList());
        for (var weight : WEIGHTS) {
            put("times its share of rare words^" + weight, isAnswerable, best * Math.pow(first, weight));
            put("times the share of the first three^" + weight, isAnswerable, best * Math.pow(three, weight));
        }
        var lower = question.toLowerCase(Locale.ROOT);
        var isNamed = hits.stream().anyMatch(hit -> isNamed(hit, lower));
        var said = hits.stream().filter(hit -> isNamed(hit, lower)).mapToDouble(Hit::score).max().orElse(best);
        put("the best of a named speaker", isAnswerable, said);
        put("the best score, halved if another one spoke", isAnswerable, isNamed && !isNamed(hits.getFirst(), lower) ? best / 2 : best);
    }

    private static boolean isNamed(Hit hit, String question) {
        return !hit.speaker().isEmpty() && question.contains(hit.speaker().toLowerCase(Locale.ROOT));
    }

    private void put(String design, boolean isAnswerable, double figure) {
        designs.computeIfAbsent(design, _ -> new ArrayList<>()).add(new Asked(isAnswerable, figure));
    }

    void print(String set) {
        if (designs.values().stream().flatMap(List::stream).noneMatch(asked -> !asked.isAnswerable())) {
            return;
        }
        System.out.printf("%n%-44s %9s %12s %12s%n", "abstaining in " + set, "threshold", "no answer", "with answer");
        designs.forEach((design, asked) -> {
            var answerable = half(asked, 0, true).stream().sorted().toList();
            var threshold = answerable.isEmpty() ? 0 : answerable.get((int) (answerable.size() * LOST));
            System.out.printf("%-44s %9.3f %12.3f %12.3f%n", design, threshold, below(half(asked, 1, false), threshold), below(half(asked, 1, true), threshold));
        });
    }

    /** Each half has every second question with an answer, and every second one without. */
    private static List<Double> half(List<Asked> asked, int which, boolean isAnswerable) {
        var figures = asked.stream().filter(each -> each.isAnswerable() == isAnswerable).map(Asked::figure).toList();
        return IntStream.range(0, figures.size()).filter(i -> i % 2 == which).mapToObj(figures::get).toList();
    }

    private static double below(List<Double> figures, double threshold) {
        return figures.stream().filter(figure -> figure < threshold).count() / Math.max(1.0, figures.size());
    }
}
