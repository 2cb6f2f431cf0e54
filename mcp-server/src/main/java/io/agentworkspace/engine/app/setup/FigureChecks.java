package io.agentworkspace.engine.app.setup;

import io.agentworkspace.engine.app.figures.Figure;
import io.agentworkspace.engine.app.figures.Figures;
import io.agentworkspace.engine.app.figures.Scrape;
import java.io.IOException;
import java.net.ConnectException;
import java.util.List;

/** Compares the ten figures of the running engine with their limits. */
public record FigureChecks(RunningEngine engine) {
    private static final String FIGURE = "figure";

    public List<Finding> run() throws InterruptedException {
        try {
            var text = engine.metrics();
            return text.isEmpty()
                    ? List.of(
                            Finding.note(
                                    FIGURE,
                                    "set ENGINE_METRICS_LISTEN or ENGINE_METRICS_TOKEN, so that the figures of a running engine can be read"))
                    : of(Scrape.of(text));
        } catch (ConnectException e) {
            return List.of(Finding.note(FIGURE, "no engine runs with these settings, so it has no figures"));
        } catch (IOException e) {
            return List.of(Finding.note(FIGURE, "the metrics cannot be read: %s", e));
        }
    }

    /** Returns a line for each figure. */
    static List<Finding> of(Scrape scrape) {
        return Figures.ALL.stream().map(figure -> finding(figure, scrape)).toList();
    }

    private static Finding finding(Figure figure, Scrape scrape) {
        var value = figure.now().applyAsDouble(scrape);
        if (Double.isNaN(value)) {
            return Finding.note(FIGURE, "%s: not known yet", figure.name());
        }
        var since = figure.isSinceTheStart() ? ", since the start" : "";
        var words = "%s: %s (%s%s)".formatted(figure.name(), figure.text(value), figure.title(), since);
        if (!figure.isWrong(value)) {
            return Finding.ok(FIGURE, "%s", words);
        }
        var todo = "%s. What to do: docs/alerts.md#%s".formatted(words, figure.name());
        return figure.isYesOrNo() ? Finding.fail(FIGURE, "%s", todo) : Finding.warn(FIGURE, "%s", todo);
    }
}
