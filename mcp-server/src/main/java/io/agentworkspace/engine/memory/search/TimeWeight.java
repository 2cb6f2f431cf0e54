package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.search.Searcher.ScoredMemory;
import io.agentworkspace.engine.memory.search.Searcher.SearchResult;
import io.agentworkspace.engine.memory.search.time.TimeSpan;
import java.util.Comparator;
import java.util.LinkedHashMap;

/** Gives more weight to memories of the time that a question names. The others stay: they may tell of that time. */
final class TimeWeight {
    /** By how much the odds grow that a memory of that time answers. */
    private static final double ODDS = 2.5;

    private TimeWeight() {}

    /**
     * Returns the best of both.
     *
     * @param within what was found in that time
     */
    static SearchResult weighed(SearchResult all, SearchResult within, TimeSpan time, int limit) {
        var best = new LinkedHashMap<String, ScoredMemory>();
        within.best().forEach(each -> best.put(each.memory().id(), each.withScore(raised(each.score()))));
        for (var each : all.best()) {
            best.merge(each.memory().id(), each, (inTime, whole) -> whole.withScore(raised(whole.score())));
        }
        return all.with(
                best.values().stream()
                        .sorted(Comparator.comparingDouble(ScoredMemory::score).reversed())
                        .limit(limit)
                        .toList(),
                time);
    }

    private static double raised(double score) {
        return Math.round(1_000 * ODDS * score / (1 + (ODDS - 1) * score)) / 1_000.0;
    }
}
