package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.search.SearchParameters.Mode;
import io.agentworkspace.engine.memory.search.SearchQueries.Match;
import io.agentworkspace.engine.memory.search.SearchQueries.MemoryId;
import io.agentworkspace.engine.memory.search.SearchResult.FoundMemory;
import io.agentworkspace.engine.memory.search.SearchResult.SearchCandidate;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.tool.Call;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryRescorer;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of one search: the indexes offer candidates by words and by meaning, and the database decides which of them readers
 * may see. If these are too few, the next round has more candidates.
 */
final class CandidateRounds {
    /** The number of candidates by words, and by meaning, in the first round. */
    private static final int CANDIDATES = 40;

    private static final List<Integer> MORE_CANDIDATES = List.of(1_000, 10_000);

    /** Of so many the order of their words is compared with that of the query. */
    private static final int ORDERED = 200;

    /** The order of words counts so little that it decides only where the words themselves do not. */
    private static final double ORDER = 0.02;

    /** The contents of so many more than are scored are read at once: which ones are newer or pinned is not known before. */
    private static final int SPARE = 5;

    /** Not the order of the index, which depends on what was deleted or hidden before. */
    private static final Comparator<Match> NEWEST = Comparator.comparing(Match::updatedAt)
            .reversed()
            .thenComparing(match -> match.place().id());

    private final SearchQueries queries;
    private final VectorScan scan;
    private final Call call;
    private final SearchParameters request;
    private final IndexedQuery indexed;

    /**
     * A query for the indexes.
     *
     * @param query ranks memories by words
     * @param filter which memories are compared by meaning
     */
    record IndexedQuery(IndexSearcher searcher, LexicalQuery lexical, Query query, Query filter) {}

    /**
     * The vector of a query.
     *
     * @param weight how much meaning counts
     */
    record QuestionVector(float[] vector, double weight) {}

    /**
     * What was found by words, best first.
     *
     * @param coverages about which share of the query's words they have
     * @param breadths the same, where a word counts once
     */
    record FoundByWords(ScoreDoc[] found, Map<Integer, Double> coverages, Map<Integer, Double> breadths) {
        static final FoundByWords NONE = new FoundByWords(new ScoreDoc[0], Map.of(), Map.of());
    }

    /** The candidates of a round, with their numbers in the index, in ascending order. */
    private record Round(
            FoundByWords byWords,
            ScoreDoc[] byMeaning,
            int[] documents,
            Map<Integer, MemoryId> places,
            float @Nullable [] likenesses) {
        /** Returns those candidates that readers may see. Their ranks are among these, the newer first among equals. */
        List<SearchCandidate> of(Map<MemoryId, Match> visible) {
            var textRanks = ranks(byWords.found(), visible);
            var vectorRanks = ranks(byMeaning, visible);
            var candidates = new ArrayList<SearchCandidate>();
            for (var i = 0; i < documents.length; i++) {
                var document = documents[i];
                var match = visible.get(places.get(document));
                if (match != null) {
                    candidates.add(new SearchCandidate(
                            match,
                            textRanks.getOrDefault(document, 0),
                            byWords.coverages().getOrDefault(document, 0.0),
                            byWords.breadths().getOrDefault(document, 0.0),
                            vectorRanks.getOrDefault(document, 0),
                            likenesses == null ? -1 : likenesses[i]));
                }
            }
            candidates.sort(Comparator.comparing(SearchCandidate::found, NEWEST));
            return candidates;
        }

        private Map<Integer, Integer> ranks(ScoreDoc[] found, Map<MemoryId, Match> visible) {
            var ranks = new HashMap<Integer, Integer>();
            Arrays.stream(found)
                    .filter(each -> visible.containsKey(places.get(each.doc)))
                    .sorted(Comparator.comparingDouble((ScoreDoc each) -> -each.score)
                            .thenComparing(each -> visible.get(places.get(each.doc)), NEWEST))
                    .forEach(each -> ranks.put(each.doc, ranks.size() + 1));
            return ranks;
        }
    }

    CandidateRounds(SearchQueries queries, VectorScan scan, Call call, SearchParameters request, IndexedQuery indexed) {
        this.queries = queries;
        this.scan = scan;
        this.call = call;
        this.request = request;
        this.indexed = indexed;
    }

    private int fewest() {
        return Math.max(CANDIDATES, 2 * request.limit());
    }

    /** Returns the candidates by words of the first round. */
    FoundByWords byWords(double weight) throws IOException {
        return byWords(fewest(), weight);
    }

    private FoundByWords byWords(int most, double weight) throws IOException {
        // Nobody asks how many there are in all, so those that cannot be among the best are skipped.
        var ranked = Math.max(most, ORDERED);
        var best = indexed.searcher().search(indexed.query(), new TopScoreDocCollectorManager(ranked, ranked));
        var found = QueryRescorer.rescore(
                        indexed.searcher(), best, indexed.lexical().order(), ORDER, most)
                .scoreDocs;
        var coverages = indexed.lexical().coverages(found);
        // Where meaning counts little, the order by words is that of the index.
        var breadths = weight < Fusion.ENGLISH ? coverages : indexed.lexical().breadths(indexed.searcher(), found);
        return new FoundByWords(found, coverages, breadths);
    }

    /**
     * Ranks the memories that readers may see.
     *
     * @param first the candidates by words of the first round
     * @param question null if there is no vector of the query
     */
    Ranking best(FoundByWords first, @Nullable QuestionVector question) throws IOException {
        var weight = question == null ? 0 : question.weight();
        var byWords = first;
        var most = fewest();
        var further = MORE_CANDIDATES.iterator();
        while (true) {
            var byMeaning = question == null
                    ? new ScoreDoc[0]
                    : scan.nearest(indexed.searcher(), indexed.filter(), question.vector(), most);
            var visible = visible(byWords, byMeaning, question);
            if (isEnough(visible, byWords, byMeaning, most) || !further.hasNext()) {
                return new Ranking(ordered(visible, weight));
            }
            most = further.next();
            if (question == null || request.mode() != Mode.VECTOR) {
                byWords = byWords(most, weight);
            }
        }
    }

    private List<SearchCandidate> visible(FoundByWords byWords, ScoreDoc[] byMeaning, @Nullable QuestionVector question)
            throws IOException {
        var documents = Stream.concat(Arrays.stream(byWords.found()), Arrays.stream(byMeaning))
                .mapToInt(each -> each.doc)
                .distinct()
                .sorted()
                .toArray();
        if (documents.length == 0) {
            return List.of();
        }
        var reader = indexed.searcher().getIndexReader();
        var likenesses = question == null ? null : VectorScan.likenesses(reader, documents, question.vector());
        var round = new Round(byWords, byMeaning, documents, places(reader, documents), likenesses);
        var all = round.places().values().stream().distinct().toList();
        return round.of(byPlace(queries.visible(call, all, likely(round, all, question), request.asOf())));
    }

    private static Map<MemoryId, Match> byPlace(List<Match> matches) {
        return matches.stream().collect(Collectors.toMap(Match::place, Function.identity()));
    }

    /** Returns those that are best if readers may see all candidates. Of equal texts, which become one hit, it returns all. */
    private List<MemoryId> likely(Round round, List<MemoryId> all, @Nullable QuestionVector question) {
        var equallyNew = all.stream()
                .map(place -> new Match(place, call.now(), false, null))
                .toList();
        var hasWords = !indexed.lexical().groups().isEmpty();
        var most = Scoring.scored(request.limit()) + SPARE;
        var different = new HashSet<Object>();
        return ordered(round.of(byPlace(equallyNew)), question == null ? 0 : question.weight()).stream()
                .peek(each -> different.add(hasWords ? List.of(each.coverage(), each.likeness()) : each))
                .takeWhile(_ -> different.size() <= most)
                .map(each -> each.found().place())
                .toList();
    }

    /** Returns whether readers may see enough candidates, or there are no more. */
    private boolean isEnough(List<SearchCandidate> visible, FoundByWords byWords, ScoreDoc[] byMeaning, int most) {
        var seenByMeaning =
                visible.stream().filter(each -> each.vectorRank() > 0).count();
        var seenByWords = visible.stream().filter(each -> each.textRank() > 0).count();
        return isEnough(byWords.found(), most, seenByWords, request.limit())
                && isEnough(byMeaning, most, seenByMeaning, Math.max(request.limit(), Fusion.COMPARED));
    }

    private static boolean isEnough(ScoreDoc[] found, int most, long seen, int limit) {
        return found.length < most || seen >= limit;
    }

    private List<SearchCandidate> ordered(List<SearchCandidate> visible, double weight) {
        var ranked = visible.stream()
                .map(each -> new Fusion.Ranked<>(
                        each,
                        each.coverage(),
                        each.breadth(),
                        each.vectorRank(),
                        each.likeness(),
                        each.found().updatedAt(),
                        each.found().isPinned()))
                .toList();
        return Fusion.ordered(ranked, weight, request.asOf() == null ? call.now() : request.asOf());
    }

    /** What was found, in order. */
    final class Ranking {
        private final List<SearchCandidate> ordered;

        private Ranking(List<SearchCandidate> ordered) {
            this.ordered = ordered;
        }

        /** Returns some of them with their content, without those that were hidden in the meantime. */
        List<FoundMemory> part(int from, int to) {
            return from >= ordered.size() ? List.of() : memories(ordered.subList(from, Math.min(to, ordered.size())));
        }
    }

    private List<FoundMemory> memories(List<SearchCandidate> best) {
        var missing = best.stream()
                .filter(each -> each.found().memory() == null)
                .map(each -> each.found().place())
                .toList();
        var others = missing.isEmpty() ? List.<Match>of() : queries.visible(call, missing, missing, request.asOf());
        var memories = new HashMap<MemoryId, Memory>();
        Stream.concat(best.stream().map(SearchCandidate::found), others.stream())
                .forEach(match -> {
                    if (match.memory() != null) {
                        memories.put(match.place(), match.memory());
                    }
                });
        var found = new ArrayList<FoundMemory>();
        for (var candidate : best) {
            var memory = memories.get(candidate.found().place());
            if (memory != null) {
                found.add(new FoundMemory(candidate, memory));
            }
        }
        return found;
    }

    private static Map<Integer, MemoryId> places(IndexReader reader, int[] documents) throws IOException {
        var places = new HashMap<Integer, MemoryId>();
        for (var document : documents) {
            var leaf = reader.leaves().get(ReaderUtil.subIndex(document, reader.leaves()));
            var ids = leaf.reader().getBinaryDocValues(BankIndex.ID);
            var banks = leaf.reader().getNumericDocValues(BankIndex.BANK);
            ids.advanceExact(document - leaf.docBase);
            banks.advanceExact(document - leaf.docBase);
            places.put(document, new MemoryId(banks.longValue(), BankIndex.id(ids.binaryValue())));
        }
        return places;
    }
}
