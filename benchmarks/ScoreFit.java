import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Fits the constants of the score of MB_Search to questions with known answers, and measures them on others. The
 * engine's log has what it knows about each memory that it scores.
 */
final class ScoreFit {
    private static final Pattern LINE = Pattern.compile(
            "Score - (\\S+) Evidence\\[words=([^,]+), rare=([^,]+), order=([^,]+), .*likeness=([^,]+), .*\\] (\\S+) (\\S+)");

    static final String LOGGING = """
            <configuration>
              <appender name="log" class="ch.qos.logback.core.ConsoleAppender"><target>System.err</target>
                <encoder><pattern>%logger{0} - %msg%n</pattern></encoder></appender>
              <logger name="io.agentworkspace.engine.memory.search.Score" level="TRACE"/>
              <root level="WARN"><appender-ref ref="log"/></root>
            </configuration>
            """;

    /** The constants of the words, and then those of the meaning. */
    private static final List<String> NAMES = List.of(
            "BY_WORDS", "WORDS", "RARE", "ORDER", "WORDS_LEAD", "BY_MEANING", "LIKENESS", "LIKENESS_LEAD", "FEWER_WORDS");

    private static final int OF_WORDS = 5;
    private static final double[] BEGIN = {-3, 3, 0, 0, 0, -4, 6, 0, 0};
    private static final int STEPS = 4_000;
    private static final double RATE = 0.1;

    /** Small constants are preferred where they fit as well. */
    private static final double SHRINK = 0.003;

    private static final double[] THRESHOLDS = {0.1, 0.15, 0.2, 0.3, 0.5};

    private final Path log;
    private final List<Example> examples = new ArrayList<>();
    private long read;

    ScoreFit(Path log) {
        this.log = log;
    }

    /** What is known about a memory, and whether it answers. */
    record Scored(boolean isAnswer, double[] words, double[] meaning) {
        double score(double[] constants) {
            return 1 - (1 - sigmoid(sum(words, constants, 0))) * (1 - byMeaning(constants));
        }

        double byMeaning(double[] constants) {
            return meaning.length == 0 ? 0 : sigmoid(sum(meaning, constants, OF_WORDS));
        }
    }

    /** A question with what was found. */
    record Example(String set, int number, boolean hasAnswer, List<Scored> found) {}

    private static double sigmoid(double sum) {
        return 1 / (1 + Math.exp(-sum));
    }

    private static double sum(double[] figures, double[] constants, int from) {
        var sum = 0.0;
        for (var i = 0; i < figures.length; i++) {
            sum += figures[i] * constants[from + i];
        }
        return sum;
    }

    /** Adds what was found for a question since the last call. */
    void add(String set, int number, List<String> found, List<Boolean> areAnswers, boolean hasAnswer) throws IOException {
        var evidence = next();
        var scored = new ArrayList<Scored>();
        for (var i = 0; i < found.size(); i++) {
            var figures = evidence.get(found.get(i));
            if (figures != null) {
                scored.add(scored(areAnswers.get(i), figures));
            }
        }
        examples.add(new Example(set, number, hasAnswer, scored));
    }

    private static Scored scored(boolean isAnswer, double[] figures) {
        var lead = figures[4];
        var words = new double[] {1, figures[0], figures[1], figures[2], Math.clamp(lead, -0.4, 0.4)};
        var meaning = new double[] {1, figures[3], Math.clamp(figures[5], -0.2, 0.2), Math.clamp(lead, -0.5, 0)};
        return new Scored(isAnswer, words, figures[3] < 0 ? new double[0] : meaning);
    }

    /** Returns the evidence of the memories that were scored since the last call, by their ids. */
    Map<String, double[]> next() throws IOException {
        var all = Files.readAllBytes(log);
        var text = new String(all, (int) read, (int) (all.length - read), StandardCharsets.UTF_8);
        read = all.length;
        var found = new HashMap<String, double[]>();
        LINE.matcher(text).results().forEach(line -> {
            var figures = new double[line.groupCount() - 1];
            Arrays.setAll(figures, i -> Double.parseDouble(line.group(i + 2)));
            found.put(line.group(1), figures);
        });
        return found;
    }

    /** Fits the constants on the questions with even numbers, and prints how they do on the others. */
    void print() {
        var constants = fit(examples.stream().filter(example -> example.number() % 2 == 0).toList());
        for (var i = 0; i < constants.length; i++) {
            System.out.printf("%-14s %6.2f%n", NAMES.get(i), constants[i]);
        }
        System.out.printf("%n%-10s %5s %9s %7s %12s %12s %9s%n", "held out", "least", "precision", "recall", "abstain: no", "with answer", "hits");
        var sets = new TreeMap<String, List<Example>>();
        examples.stream()
                .filter(example -> example.number() % 2 == 1)
                .forEach(example -> sets.computeIfAbsent(example.set(), _ -> new ArrayList<>()).add(example));
        for (var threshold : THRESHOLDS) {
            sets.forEach((name, of) -> print(name, of, constants, threshold));
        }
    }

    private static void print(String name, List<Example> of, double[] constants, double threshold) {
        var right = 0;
        var returned = 0;
        var found = 0;
        var answerable = 0;
        var abstained = 0;
        var rightly = 0;
        for (var example : of) {
            var hits = example.found().stream().filter(each -> each.score(constants) >= threshold).toList();
            var answers = hits.stream().filter(Scored::isAnswer).count();
            right += (int) answers;
            returned += hits.size();
            answerable += example.hasAnswer() ? 1 : 0;
            found += answers > 0 ? 1 : 0;
            abstained += hits.isEmpty() && example.hasAnswer() ? 1 : 0;
            rightly += hits.isEmpty() && !example.hasAnswer() ? 1 : 0;
        }
        System.out.printf(
                "%-10s %5.2f %9.3f %7.3f %12.3f %12.3f %9.2f%n",
                name,
                threshold,
                right / Math.max(1.0, returned),
                found / Math.max(1.0, answerable),
                rightly / Math.max(1.0, of.size() - answerable),
                abstained / Math.max(1.0, answerable),
                returned / (double) of.size());
    }

    /** Every set counts the same. Gradient descent with momentum, since the model is small. */
    private static double[] fit(List<Example> examples) {
        var counts = new HashMap<String, Integer>();
        examples.forEach(example -> counts.merge(example.set(), 1, Integer::sum));
        var constants = BEGIN.clone();
        var momentum = new double[constants.length];
        for (var step = 0; step < STEPS; step++) {
            var gradient = new double[constants.length];
            for (var example : examples) {
                var weight = 1.0 / counts.size() / counts.get(example.set());
                example.found().forEach(each -> add(each, constants, weight, gradient));
            }
            for (var i = 0; i < constants.length; i++) {
                momentum[i] = 0.9 * momentum[i] + gradient[i] + SHRINK * constants[i];
                constants[i] -= RATE * momentum[i];
            }
        }
        return constants;
    }

    private static void add(Scored each, double[] constants, double weight, double[] gradient) {
        var byWords = sigmoid(sum(each.words(), constants, 0));
        var byMeaning = each.byMeaning(constants);
        var score = Math.clamp(1 - (1 - byWords) * (1 - byMeaning), 1e-9, 1 - 1e-9);
        var slope = weight * ((each.isAnswer() ? 0 : 1) / (1 - score) - (each.isAnswer() ? 1 : 0) / score);
        for (var i = 0; i < each.words().length; i++) {
            gradient[i] += slope * (1 - byMeaning) * byWords * (1 - byWords) * each.words()[i];
        }
        for (var i = 0; i < each.meaning().length; i++) {
            gradient[OF_WORDS + i] += slope * (1 - byWords) * byMeaning * (1 - byMeaning) * each.meaning()[i];
        }
    }
}
