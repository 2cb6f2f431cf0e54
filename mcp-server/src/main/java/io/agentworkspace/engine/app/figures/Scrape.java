package io.agentworkspace.engine.app.figures;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The text of {@code /metrics}, as values with their names and labels. */
public record Scrape(List<Value> values) {
    private static final Pattern LINE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)\\})? (\\S+)(?: \\d+)?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** One line. */
    record Value(String name, Map<String, String> labels, double number) {
        String label(String label) {
            return labels.getOrDefault(label, "");
        }
    }

    public static Scrape of(String text) {
        return new Scrape(text.lines()
                .map(LINE::matcher)
                .filter(line -> line.matches())
                .map(line -> new Value(line.group(1), labels(line.group(2)), number(line.group(3))))
                .toList());
    }

    private static Map<String, String> labels(@Nullable String text) {
        return text == null
                ? Map.of()
                : LABEL.matcher(text)
                        .results()
                        .collect(Collectors.toMap(label -> label.group(1), label -> label.group(2)));
    }

    private static double number(String text) {
        return text.equals("+Inf")
                ? Double.POSITIVE_INFINITY
                : text.equals("-Inf") ? Double.NEGATIVE_INFINITY : Double.parseDouble(text);
    }

    /** Returns the sum of a metric's values, or NaN if there is none. */
    double sum(String name, Predicate<Value> which) {
        var chosen = values.stream()
                .filter(value -> value.name().equals(name) && which.test(value))
                .toList();
        return chosen.isEmpty()
                ? Double.NaN
                : chosen.stream().mapToDouble(Value::number).sum();
    }

    double sum(String name) {
        return sum(name, _ -> true);
    }

    /** Returns the upper bound of the bucket that contains a quantile of a histogram, or NaN without a value. */
    double quantile(double quantile, String name, Predicate<Value> which) {
        var buckets = values.stream()
                .filter(value -> value.name().equals(name + "_bucket") && which.test(value))
                .collect(Collectors.groupingBy(
                        value -> number(value.label("le")), Collectors.summingDouble(Value::number)));
        var all = buckets.getOrDefault(Double.POSITIVE_INFINITY, 0.0);
        return buckets.entrySet().stream()
                .filter(bucket -> all > 0 && bucket.getValue() >= quantile * all)
                .mapToDouble(Map.Entry::getKey)
                .min()
                .orElse(Double.NaN);
    }
}
