package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.kernel.text.Highlights;
import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.kernel.text.TextLikeness;
import io.agentworkspace.engine.memory.search.SearchResult.FoundMemory;
import io.agentworkspace.engine.memory.search.SearchResult.ScoredMemory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** Scores what was found, and puts it in the order of the scores. What is nearly the same is one hit. */
final class Scoring {
    /** At least so many of the ranking are scored, so that the first hit is the same however few are wanted. */
    private static final int LEAST = 10;

    /** At most so many are read where many are nearly the same. */
    private static final int MOST = 120;

    /** So many memories of the same form are hits of their own. */
    private static final int OF_ONE_FORM = 3;

    private final QueryAnalysis analysis;
    private final CandidateRounds.Ranking ranking;

    /**
     * The query, as it is compared with memories.
     *
     * @param isMeaningSure whether the model knows its language
     */
    record QueryAnalysis(QueryParser.Parsed parsed, LexicalQuery query, boolean isMeaningSure) {}

    Scoring(QueryAnalysis analysis, CandidateRounds.Ranking ranking) {
        this.analysis = analysis;
        this.ranking = ranking;
    }

    /** A hit, with what speaks for it, and others that are nearly the same. */
    private record Weighed(
            FoundMemory found, Highlights highlights, Evidence evidence, TextLikeness text, List<FoundMemory> also) {
        /** Returns whether both have the same words of the query, so that the other one answers no better. */
        boolean hasSameWordsAs(Weighed other) {
            return highlights.found().equals(other.highlights.found())
                    && highlights.corrected().equals(other.highlights.corrected());
        }
    }

    /** Returns how many of the ranking are scored if so many hits are wanted. */
    static int scored(int limit) {
        return Math.max(LEAST, limit);
    }

    /** Returns all that were scored if so many hits are wanted, best first. */
    List<ScoredMemory> best(int limit) {
        var weighed = new ArrayList<Weighed>();
        var scored = scored(limit);
        ranking.part(0, scored).forEach(each -> add(each, weighed));
        var others = weighed.size() < scored
                ? ranking.part(scored, MOST).iterator()
                : Collections.<FoundMemory>emptyIterator();
        while (weighed.size() < scored && others.hasNext()) {
            add(others.next(), weighed);
        }
        var compared = weighed.subList(0, Math.min(LEAST, weighed.size()));
        var words = new Leads(compared, Evidence::words);
        var meaning = new Leads(compared, Evidence::likeness);
        return weighed.stream()
                .map(each -> scored(each, words, meaning))
                .sorted(Comparator.comparingDouble(ScoredMemory::score).reversed())
                .toList();
    }

    /** Long memories take tens of milliseconds each: the work ends when its client has gone, and lets others run. */
    private Weighed weighed(FoundMemory found) {
        Cancellation.checkCurrent();
        Thread.yield();
        var memory = found.memory();
        var name = memory.name() == null ? "" : memory.name();
        var highlights = FoundWords.in(analysis.query(), name, memory.text());
        return new Weighed(
                found,
                highlights,
                Evidence.of(analysis, highlights, found),
                TextAnalysis.likeness(memory.text()),
                new ArrayList<>());
    }

    /** Returns a hit of a memory that another one stands for, without a score of its own. */
    ScoredMemory hit(FoundMemory found) {
        return new ScoredMemory(found, weighed(found).highlights(), 0, List.of(), null);
    }

    private void add(FoundMemory found, List<Weighed> hits) {
        var memory = found.memory();
        for (var hit : hits) {
            var other = hit.found().memory();
            if (other.text().equals(memory.text()) && Objects.equals(other.name(), memory.name())) {
                hit.also().add(found);
                return;
            }
        }
        add(weighed(found), hits);
    }

    private static void add(Weighed next, List<Weighed> hits) {
        var ofItsForm = 0;
        for (var hit : hits) {
            var isAlike = hit.hasSameWordsAs(next) && hit.text().hasFormOf(next.text());
            ofItsForm += isAlike ? 1 : 0;
            if (hit.hasSameWordsAs(next) && hit.text().isSame(next.text()) || isAlike && ofItsForm == OF_ONE_FORM) {
                hit.also().add(next.found());
                return;
            }
        }
        hits.add(next);
    }

    /** By how much a memory exceeds the best of the others. */
    private static final class Leads {
        private final ToDoubleFunction<Evidence> figure;
        private double best;
        private double second;

        Leads(List<Weighed> compared, ToDoubleFunction<Evidence> figure) {
            this.figure = figure;
            for (var each : compared) {
                var value = figure.applyAsDouble(each.evidence());
                second = Math.max(second, Math.min(best, value));
                best = Math.max(best, value);
            }
        }

        double of(Evidence evidence) {
            var value = figure.applyAsDouble(evidence);
            return value < best ? value - best : value - second;
        }
    }

    private ScoredMemory scored(Weighed each, Leads words, Leads meaning) {
        var evidence = each.evidence();
        var id = each.found().memory().id();
        var score = Score.of(id, evidence, words.of(evidence), meaning.of(evidence));
        return new ScoredMemory(each.found(), each.highlights(), score, List.copyOf(each.also()), null);
    }
}
