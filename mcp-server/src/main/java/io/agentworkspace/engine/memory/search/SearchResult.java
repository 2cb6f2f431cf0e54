package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.text.Highlights;
import io.agentworkspace.engine.memory.search.SearchParameters.Mode;
import io.agentworkspace.engine.memory.search.SearchQueries.Match;
import io.agentworkspace.engine.memory.search.time.TimeSpan;
import io.agentworkspace.engine.model.bank.Memory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was found.
 *
 * @param best as many as were wanted, in the order of their scores
 * @param pending how many memories have no vectors yet
 * @param isComplete whether every bank was searched by its index; the others were searched by words in the database
 * @param unsearched how many banks were not compared, or not whole, since their indexes are being built
 * @param authors whose memories were searched; null for all
 * @param mode how, which is by words where there is no vector of the query
 * @param time that the question names, of which memories have more weight
 */
record SearchResult(
        List<ScoredMemory> best,
        int banks,
        long memories,
        long pending,
        boolean isComplete,
        int unsearched,
        @Nullable List<Long> authors,
        Mode mode,
        @Nullable TimeSpan time) {
    boolean isAnswered() {
        return !best.isEmpty() && best.getFirst().score() >= Score.THRESHOLD;
    }

    SearchResult without(int banksNotCompared) {
        return new SearchResult(
                best, banks - banksNotCompared, memories, pending, isComplete, banksNotCompared, authors, mode, time);
    }

    SearchResult with(List<ScoredMemory> others, TimeSpan named) {
        return new SearchResult(others, banks, memories, pending, isComplete, unsearched, authors, mode, named);
    }

    /**
     * A memory that was found.
     *
     * @param textRank its place among those found by words, 0 if it is not among them
     * @param coverage about which share of the query's words it has
     * @param breadth the same, where a word counts once, however often it is repeated
     * @param vectorRank its place among those found by meaning
     * @param likeness how like it is to the query by meaning; -1 where that is not known
     */
    record SearchCandidate(
            Match found, int textRank, double coverage, double breadth, int vectorRank, float likeness) {}

    /** A memory that was found, with its content. */
    record FoundMemory(SearchCandidate candidate, Memory memory) {}

    /**
     * A memory that was found, with the positions of the query's words and its score.
     *
     * @param also memories that are nearly the same
     * @param replacedBy the memory that superseded what this one says
     */
    record ScoredMemory(
            FoundMemory found,
            Highlights highlights,
            double score,
            List<FoundMemory> also,
            @Nullable String replacedBy) {
        Memory memory() {
            return found.memory();
        }

        /** Returns the same hit with at least this score. */
        ScoredMemory withScore(double least) {
            return scored(Math.max(score, least));
        }

        ScoredMemory scored(double other) {
            return new ScoredMemory(found, highlights, other, also, replacedBy);
        }

        ScoredMemory replacedBy(String id) {
            return new ScoredMemory(found, highlights, score, also, id);
        }

        /** Returns the same hit, which does not stand for another memory. */
        ScoredMemory without(FoundMemory other) {
            var others = also.stream().filter(each -> each != other).toList();
            return new ScoredMemory(found, highlights, score, others, replacedBy);
        }
    }
}
