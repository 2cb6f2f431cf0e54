package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.search.SearchResult.ScoredMemory;
import io.agentworkspace.engine.memory.search.time.TimeSpan;
import java.util.Comparator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Gives more weight to memories of the time that a question names. The others stay: they may tell of that time. */
final class TimeWeight {
    /** By how much the odds grow that a memory of that time answers. */
    private static final double ODDS = 2.5;

    private static final double LEAST_STEP = 0.001;

    private TimeWeight() {}

    /**
     * Returns the best of both.
     *
     * @param within what was found in that time
     */
    static SearchResult weighed(SearchResult all, SearchResult within, TimeSpan time, int limit) {
        var ofTime = within.best().stream().flatMap(TimeWeight::ids).collect(Collectors.toSet());
        var known = all.best().stream().flatMap(TimeWeight::ids).collect(Collectors.toSet());
        var most = all.best().isEmpty() ? 0 : all.best().getLast().score();
        var whole = all.best().stream()
                .map(each -> ofTime.contains(each.memory().id()) ? raised(each, each.score()) : each);
        var others = within.best().stream()
                .filter(each -> ids(each).noneMatch(known::contains))
                .map(each -> raised(each, Math.min(each.score(), most)));
        return all.with(
                Stream.concat(whole, others)
                        .sorted(Comparator.comparingDouble(ScoredMemory::score).reversed())
                        .limit(limit)
                        .toList(),
                time);
    }

    private static Stream<String> ids(ScoredMemory found) {
        return Stream.concat(Stream.of(found.found()), found.also().stream())
                .map(each -> each.memory().id());
    }

    /** What does not reach the threshold stays below it, and what was replaced stays behind its correction. */
    private static ScoredMemory raised(ScoredMemory found, double score) {
        if (found.replacedBy() != null) {
            return found.scored(score);
        }
        var raised = Math.round(1_000 * ODDS * score / (1 + (ODDS - 1) * score)) / 1_000.0;
        return found.scored(
                score < Score.THRESHOLD ? Math.max(score, Math.min(raised, Score.THRESHOLD - LEAST_STEP)) : raised);
    }
}
