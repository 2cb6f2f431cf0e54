package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.search.SearchQueries.IndexPositions;
import io.agentworkspace.engine.memory.search.SearchQueries.Match;
import io.agentworkspace.engine.memory.search.SearchQueries.MemoryId;
import io.agentworkspace.engine.memory.search.SearchQueries.SearchedBank;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.MultiReader;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.jspecify.annotations.Nullable;

/**
 * Finds memories: updates the index of each bank, searches it, and reads from the database which of
 * the results the caller may see.
 */
public final class Searcher {
    private static final int LANGUAGES = 4;

    /** The number of candidates by words, and by meaning. If readers may see too few of them, more are tried. */
    private static final int CANDIDATES = 40;

    private final SearchQueries queries;
    private final IndexCache indexes;
    private final Embedder embedder;
    private final PgvectorStore pgvector;
    private final VectorScan scan = new VectorScan();

    public Searcher(SearchQueries queries, IndexCache indexes, Embedder embedder, PgvectorStore pgvector) {
        this.queries = queries;
        this.indexes = indexes;
        this.embedder = embedder;
        this.pgvector = pgvector;
    }

    /** How memories are found. */
    enum Mode {
        TEXT,
        VECTOR,
        HYBRID;

        static Mode of(@Nullable String word) {
            return word == null ? HYBRID : valueOf(word.toUpperCase(Locale.ROOT));
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The search request. */
    record SearchRequest(
            String query,
            Mode mode,
            @Nullable Name bank,
            @Nullable Name author,
            List<String> tags,
            @Nullable Instant since,
            @Nullable Instant until,
            @Nullable Instant asOf,
            int limit) {
        boolean isUnrestricted() {
            return author == null && tags.isEmpty() && since == null && until == null && asOf == null;
        }
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

    /**
     * What was found, best first.
     *
     * @param mode how, which is by words where there is no vector of the query
     */
    record SearchResult(
            List<SearchCandidate> candidates,
            LexicalQuery query,
            List<Language> languages,
            int banks,
            long memories,
            Mode mode) {}

    /** The banks that are searched, with their updated indexes. */
    record SearchScope(SearchQueries.Banks banks, List<BankIndex> indexes) {}

    /** Returns whether there is a model of embeddings. */
    boolean knowsMeanings() {
        return embedder.isOn();
    }

    /** Returns whether the model can make the queries' vectors. The first attempts load it. */
    boolean isReadyFor(List<String> queries) {
        return queries.stream()
                .map(query -> QueryParser.parse(query).meaning())
                .filter(meaning -> !meaning.isBlank())
                .findFirst()
                .map(meaning -> embedder.question(meaning).vector() != null)
                .orElse(true);
    }

    /**
     * A search request, of which the query's vector is being computed.
     *
     * @param isByMeaning whether there may be such a vector
     */
    private record BegunSearch(
            SearchRequest wanted, QueryParser.Parsed parsed, boolean isByMeaning, Embedder.Question question) {}

    private BegunSearch begin(SearchRequest wanted) {
        var parsed = QueryParser.parse(wanted.query());
        var isByMeaning = embedder.isOn()
                && (wanted.mode() == Mode.VECTOR
                        || wanted.mode() == Mode.HYBRID && isInScriptOfModel(Language.guess(parsed.meaning())));
        return new BegunSearch(wanted, parsed, isByMeaning, embedder.question(isByMeaning ? parsed.meaning() : ""));
    }

    SearchScope scope(Call call, @Nullable Name bank, @Nullable Name author) {
        var banks = queries.banks(call, bank, author, known(call));
        var current = new ArrayList<BankIndex>();
        for (var each : banks.banks()) {
            if (!each.isCensored()) {
                current.add(current(call, each));
            }
        }
        return new SearchScope(banks, current);
    }

    SearchResult search(Call call, SearchScope scope, SearchRequest wanted) {
        var begun = begin(wanted);
        var readers = new ArrayList<DirectoryReader>();
        var past = past(call, scope, wanted.asOf());
        try {
            scope.indexes().forEach(index -> readers.add(index.acquire()));
            past.forEach(index -> readers.add(index.acquire()));
            return search(call, new MultiReader(readers.toArray(IndexReader[]::new), false), scope, begun);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            readers.forEach(Searcher::release);
            past.forEach(BankIndex::close);
        }
    }

    /** Returns indexes for this search only, of what has been replaced since. */
    private List<BankIndex> past(Call call, SearchScope scope, @Nullable Instant asOf) {
        if (asOf == null) {
            return List.of();
        }
        var past = new ArrayList<BankIndex>();
        for (var index : scope.indexes()) {
            var entries = queries.past(call, index.bank(), asOf);
            if (!entries.isEmpty()) {
                past.add(indexes.write(() -> BankIndex.ofPast(index.bank(), entries)));
            }
        }
        return past;
    }

    private static void release(DirectoryReader reader) {
        try {
            reader.decRef();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private IndexPositions known(Call call) {
        var banks = new ArrayList<Long>();
        var positions = new ArrayList<String>();
        indexes.positions(call.caller().tenant()).forEach((bank, position) -> {
            banks.add(bank);
            positions.add(Long.toString(position));
        });
        return new IndexPositions(banks, positions);
    }

    /** Returns the index of the bank with everything that was committed when the bank was read. */
    private BankIndex current(Call call, SearchedBank bank) {
        var index = indexes.of(call.caller().tenant(), bank.id());
        if (bank.changes().size() <= SearchQueries.LISTED_CHANGES && index.has(bank.changes())) {
            return index;
        }
        index.lock().lock();
        try {
            if (bank.changes().size() > SearchQueries.LISTED_CHANGES || !index.has(bank.changes())) {
                read(call, bank.id(), index);
            }
            return index;
        } finally {
            index.lock().unlock();
        }
    }

    private void read(Call call, long bank, BankIndex index) {
        var after = new BankIndex.IndexChange(new UUID(0, 0), Long.toString(index.position()));
        var horizon = index.position();
        var isFirst = true;
        while (true) {
            var portion = queries.changes(call, bank, after);
            if (portion.isForeign()) {
                queries.renumber(call, bank);
            }
            if (isFirst && portion.horizon() > 0) {
                horizon = portion.horizon();
                isFirst = false;
            }
            var news = portion.entries().stream()
                    .filter(entry -> !index.has(new BankIndex.IndexChange(entry.id(), entry.change())))
                    .toList();
            var reached = horizon;
            indexes.write(() -> {
                index.apply(news);
                if (portion.isLast()) {
                    index.reached(reached);
                }
                return true;
            });
            if (portion.isLast()) {
                return;
            }
            var last = portion.entries().getLast();
            after = new BankIndex.IndexChange(last.id(), last.change());
        }
    }

    private SearchResult search(Call call, MultiReader reader, SearchScope scope, BegunSearch begun)
            throws IOException {
        var wanted = begun.wanted();
        var parsed = begun.parsed();
        var searcher = new IndexSearcher(reader);
        searcher.setSimilarity(BankIndex.RANKING);
        var languages = languages(reader, parsed);
        var lexical = LexicalQuery.of(parsed, searcher, languages);
        var query = filtered(lexical.query(), parsed, scope, wanted);
        var filter = filtered(lexical.filter(), parsed, scope, wanted);
        var fewest = Math.max(CANDIDATES, 2 * wanted.limit());
        var wish = begun.isByMeaning() ? weight(wanted.mode(), parsed.meaning(), languages) : 0;
        var byWords = begun.isByMeaning() && wanted.mode() == Mode.VECTOR
                ? FoundByWords.NONE
                : byWords(searcher, query, lexical, fewest, wish); // While the vector is being computed.
        var question = begun.question().vector();
        var weight = question == null ? 0 : wish;
        var mode = question == null ? Mode.TEXT : wanted.mode();
        if (begun.isByMeaning() && question == null) {
            byWords = byWords(searcher, query, lexical, fewest, 0);
        }
        var known = question != null && parsed.isUnrestricted() && wanted.isUnrestricted()
                ? foundByPgvector(call, scope, question)
                : Map.<Long, List<UUID>>of();
        var visible = List.<SearchCandidate>of();
        for (var most : List.of(fewest, 1_000, 10_000)) {
            if (most > fewest && mode != Mode.VECTOR) {
                byWords = byWords(searcher, query, lexical, most, weight);
            }
            var byMeaning = question == null ? new ScoreDoc[0] : scan.nearest(searcher, filter, question, most, known);
            visible = visible(call, searcher, byWords, byMeaning, question, wanted.asOf());
            var seenByWords =
                    visible.stream().filter(each -> each.textRank() > 0).count();
            var seenByMeaning =
                    visible.stream().filter(each -> each.vectorRank() > 0).count();
            var isEnough = known.isEmpty()
                    ? isEnough(byWords.found(), most, seenByWords, wanted.limit())
                            && isEnough(byMeaning, most, seenByMeaning, Math.max(wanted.limit(), Fusion.COMPARED))
                    : seenByMeaning >= wanted.limit();
            if (isEnough) {
                break;
            }
            known = Map.of(); // Readers may see too few of these, so all are compared.
        }
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
        var best = Fusion.ordered(ranked, weight, wanted.asOf() == null ? call.now() : wanted.asOf());
        return new SearchResult(best, lexical, languages, scope.banks().banks().size(), reader.numDocs(), mode);
    }

    /** Returns whether the caller sees enough of what was found, or there are no more. */
    private static boolean isEnough(ScoreDoc[] found, int most, long seen, int wanted) {
        return found.length < most || seen >= wanted;
    }

    /**
     * What was found by words, best first.
     *
     * @param coverages about which share of the query's words they have
     * @param breadths the same, where a word counts once
     */
    private record FoundByWords(ScoreDoc[] found, Map<Integer, Double> coverages, Map<Integer, Double> breadths) {
        static final FoundByWords NONE = new FoundByWords(new ScoreDoc[0], Map.of(), Map.of());
    }

    private static FoundByWords byWords(
            IndexSearcher searcher, Query query, LexicalQuery lexical, int most, double weight) throws IOException {
        // Nobody asks how many there are in all, so those that cannot be among the best are skipped.
        var found = searcher.search(query, new TopScoreDocCollectorManager(most, most)).scoreDocs;
        var coverages = lexical.coverages(found);
        // Where meaning counts little, the order by words is that of the index.
        var breadths = weight < Fusion.ENGLISH ? coverages : lexical.breadths(searcher, found);
        return new FoundByWords(found, coverages, breadths);
    }

    /** Returns about the nearest memories of large banks, by bank. */
    private Map<Long, List<UUID>> foundByPgvector(Call call, SearchScope scope, float[] question) {
        var found = new HashMap<Long, List<UUID>>();
        for (var index : scope.indexes()) {
            if (pgvector.isFor(index.size())) {
                var nearest = pgvector.nearest(call, index.bank(), question);
                if (!nearest.isEmpty()) {
                    found.put(index.bank(), nearest);
                }
            }
        }
        return found;
    }

    /**
     * The model knows English, and names and numbers in other languages of its script. A query without function words could be in any of
     * them: it counts as English only where memories are.
     */
    private static double weight(Mode mode, String meaning, List<Language> ofMemories) {
        if (mode == Mode.VECTOR) {
            return 1;
        }
        return switch (Language.guess(meaning)) {
            case ENGLISH -> ofMemories.contains(Language.ENGLISH) ? Fusion.ENGLISH : Fusion.OTHER;
            default -> Fusion.OTHER;
        };
    }

    private static boolean isInScriptOfModel(Language language) {
        return switch (language) {
            case RUSSIAN, GREEK, ARABIC, HINDI, ARMENIAN, OTHER -> false;
            default -> true;
        };
    }

    private List<SearchCandidate> visible(
            Call call,
            IndexSearcher searcher,
            FoundByWords byWords,
            ScoreDoc[] byMeaning,
            float @Nullable [] question,
            @Nullable Instant asOf)
            throws IOException {
        var documents = Stream.concat(Arrays.stream(byWords.found()), Arrays.stream(byMeaning))
                .map(each -> each.doc)
                .distinct()
                .sorted()
                .toList();
        if (documents.isEmpty()) {
            return List.of();
        }
        var reader = searcher.getIndexReader();
        var places = places(reader, documents);
        var likenesses = question == null ? null : VectorScan.likenesses(reader, documents, question);
        Map<MemoryId, Match> seen = new HashMap<>();
        queries.visible(call, List.copyOf(places.values()), asOf).forEach(found -> seen.put(found.place(), found));
        var textRanks = ranks(byWords.found(), places, seen);
        var vectorRanks = ranks(byMeaning, places, seen);
        var visible = new ArrayList<SearchCandidate>();
        for (var i = 0; i < documents.size(); i++) {
            var document = documents.get(i);
            var found = seen.get(places.get(document));
            if (found != null) {
                visible.add(new SearchCandidate(
                        found,
                        textRanks.getOrDefault(document, 0),
                        byWords.coverages().getOrDefault(document, 0.0),
                        byWords.breadths().getOrDefault(document, 0.0),
                        vectorRanks.getOrDefault(document, 0),
                        likenesses == null ? -1 : likenesses.get(i)));
            }
        }
        return visible;
    }

    /** Their places among those that the caller may see. */
    private static Map<Integer, Integer> ranks(
            ScoreDoc[] docs, Map<Integer, MemoryId> places, Map<MemoryId, Match> seen) {
        var ranks = new HashMap<Integer, Integer>();
        for (var doc : docs) {
            if (seen.containsKey(places.get(doc.doc))) {
                ranks.put(doc.doc, ranks.size() + 1);
            }
        }
        return ranks;
    }

    private static List<Language> languages(MultiReader reader, QueryParser.Parsed parsed) throws IOException {
        var languages = new LinkedHashSet<>(BankIndex.languages(reader, LANGUAGES));
        if (languages.isEmpty()) {
            languages.add(Language.guess(parsed.meaning()));
        }
        return List.copyOf(languages);
    }

    private static Query filtered(Query query, QueryParser.Parsed parsed, SearchScope scope, SearchRequest wanted) {
        var all = new BooleanQuery.Builder().add(query, Occur.MUST);
        var tags = new LinkedHashSet<>(wanted.tags());
        tags.addAll(parsed.tags());
        tags.forEach(tag -> all.add(new TermQuery(new org.apache.lucene.index.Term(BankIndex.TAG, tag)), Occur.FILTER));
        var authors = scope.banks().authors();
        if (authors != null) {
            all.add(LongPoint.newSetQuery(BankIndex.AUTHOR, authors), Occur.FILTER);
        }
        var since = wanted.since();
        var until = earlier(wanted.until(), wanted.asOf());
        if (since != null || until != null) {
            all.add(
                    LongPoint.newRangeQuery(
                            BankIndex.UPDATED,
                            since == null ? Long.MIN_VALUE : since.toEpochMilli(),
                            until == null ? Long.MAX_VALUE : until.toEpochMilli()),
                    Occur.FILTER);
        }
        return all.build();
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return one == null || other == null ? one == null ? other : one : one.isBefore(other) ? one : other;
    }

    private static Map<Integer, MemoryId> places(IndexReader reader, List<Integer> documents) throws IOException {
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

    /** Returns the memories of the candidates in their order, without those that were hidden in the meantime. */
    List<SearchQueries.ShownMemory> shown(Call call, List<SearchCandidate> candidates, @Nullable Instant asOf) {
        if (candidates.isEmpty()) {
            return List.of();
        }
        var places = candidates.stream().map(each -> each.found().place()).toList();
        Map<MemoryId, SearchQueries.ShownMemory> shown = new HashMap<>();
        queries.shown(call, places, asOf).forEach(memory -> shown.put(memory.place(), memory));
        return places.stream().filter(shown::containsKey).map(shown::get).toList();
    }
}
