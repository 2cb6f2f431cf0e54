package io.agentworkspace.engine.app.figures;

import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A figure that tells that something is wrong.
 *
 * @param name in a word, as the doctor prints it
 * @param title of the panel
 * @param unit as Grafana names it
 * @param query in PromQL
 * @param now the same from one scrape; rates are since the start of the engine
 * @param limit from which on it is wrong
 * @param lasting how long it must be wrong for an alert, as Prometheus writes it
 * @param runbook what it means, what to look at, what to do
 */
public record Figure(
        String name,
        String title,
        String unit,
        String query,
        ToDoubleFunction<Scrape> now,
        Limit limit,
        String lasting,
        Runbook runbook) {

    /**
     * @param isLow whether lower values are wrong, rather than higher ones
     * @param also what must be true besides for an alert, in PromQL; else empty
     */
    public record Limit(double value, boolean isLow, String also) {
        static Limit over(double value) {
            return new Limit(value, false, "");
        }

        static Limit under(double value) {
            return new Limit(value, true, "");
        }

        Limit and(String condition) {
            return new Limit(value, isLow, " and " + condition);
        }

        /** Returns it as a comparison of PromQL. */
        public String comparison() {
            return "%s %s%s".formatted(isLow ? "<" : ">", number(value), also);
        }
    }

    /**
     * What to do about it.
     *
     * @param meaning what is wrong for whom
     * @param look where the cause shows
     * @param act what to do
     */
    public record Runbook(String meaning, String look, String act) {}

    public boolean isWrong(double value) {
        return limit.isLow() ? value < limit.value() : value > limit.value();
    }

    /** Returns whether one scrape knows it only since the start of the engine. */
    public boolean isSinceTheStart() {
        return query.contains("rate(");
    }

    /** Returns whether it says that something works or does not. */
    public boolean isYesOrNo() {
        return unit.equals("bool_yes_no");
    }

    /** Returns the name of its alert. */
    public String alert() {
        return "Engine" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    /** Returns a value as people read it. */
    public String text(double value) {
        return switch (unit) {
            case "percentunit" -> "%.1f %%".formatted(100 * value);
            case "s" -> value < 1 ? "%.1f ms".formatted(1_000 * value) : "%.1f s".formatted(value);
            case "bytes" -> "%.1f GB".formatted(value / 1e9);
            case "bool_yes_no" -> value < 1 ? "no" : "yes";
            default -> number(value);
        };
    }

    private static String number(double value) {
        return value == Math.rint(value) ? "%.0f".formatted(value) : "%s".formatted(value);
    }
}
