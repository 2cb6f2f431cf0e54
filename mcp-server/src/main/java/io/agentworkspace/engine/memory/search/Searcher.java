package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.text.Highlights;
import io.agentworkspace.engine.kernel.text.Language;
import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.search.CandidateRounds.FoundByWords;
import io.agentworkspace.engine.memory.search.CandidateRounds.IndexedQuery;
import io.agentworkspace.engine.memory.search.CandidateRounds.QuestionVector;
import io.agentworkspace.engine.memory.search.SearchQueries.IndexPositions;
import io.agentworkspace.engine.memory.search.SearchQueries.Match;
import io.agentworkspace.engine.memory.search.SearchQueries.SearchedBank;
import io.agentworkspace.engine.memory.search.time.QuestionTime;
import io.agentworkspace.engine.memory.search.time.TimeSpan;
import io.agentworkspace.engine.memory.search.visible.TextLengths;
import io.agentworkspace.engine.memory.search.visible.VisibleReader;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.MultiReader;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.jspecify.annotations.Nullable;

/**
 * Finds memories: brings the index of each bank up to date, and searches it in {@link CandidateRounds}.
 */
final class Searcher {
    private static final int LANGUAGES = 4;

    /** How many memories are found that a correction may concern. */
    private static final int COMPARED = 30;

    /** What restricts a query. */
    private static final Pattern OPERATORS = Pattern.compile("[\"*:\\u201c\\u201d]|(?<!\\S)[-\\u2212]");

    /** The score of a memory which surely tells of an event. */
    private static final double SURE_EVENT = 0.5;

    /** After how many banks that take the database too long no others are searched by words. */
    private static final int FAILED_SCANS = 2;

    /** How often, and how long each time, a search waits for the vectors of what was just stored. */
    private static final int FRESH_TURNS = 10;

    private static final Duration FRESH_TURN = Duration.ofMillis(30);

    private final SearchQueries queries;
    private final IndexCache indexes;
    private final IndexBuilder builder;
    private final WordScanQueries scan;
    private final Embedder embedder;
    private final Corrections corrections;
    private final VectorScan vectors = new VectorScan();
    private final TextLengths lengths = new TextLengths();

    public Searcher(
            SearchQueries queries,
            IndexCache indexes,
            IndexBuilder builder,
            WordScanQueries scan,
            Embedder embedder,
            Corrections corrections) {
        this.corrections = corrections;
        this.queries = queries;
        this.indexes = indexes;
        this.builder = builder;
        this.scan = scan;
        this.embedder = embedder;
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
            int limit,
            ZoneId zone) {
        /** Returns whether a time that the question names counts: one that is given explicitly is in its place. */
        boolean isAnyTime() {
            return since == null && until == null && asOf == null;
        }

        SearchRequest within(TimeSpan time) {
            return new SearchRequest(query, mode, bank, author, tags, time.since(), time.until(), asOf, limit, zone);
        }

        SearchRequest about(String event) {
            return new SearchRequest(event, mode, bank, author, tags, since, until, asOf, 1, zone);
        }

        /** Returns the end of the time in which found memories were written: the earlier of the two that are given. */
        @Nullable
        Instant last() {
            if (until == null || asOf == null) {
                return until == null ? asOf : until;
            }
            return until.isBefore(asOf) ? until : asOf;
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

    /**
     * The query, as it is compared with memories.
     *
     * @param isMeaningSure whether the model knows its language
     */
    record QueryAnalysis(QueryParser.Parsed parsed, LexicalQuery query, boolean isMeaningSure) {}

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
                    best,
                    banks - banksNotCompared,
                    memories,
                    pending,
                    isComplete,
                    banksNotCompared,
                    authors,
                    mode,
                    time);
        }

        SearchResult with(List<ScoredMemory> others, TimeSpan named) {
            return new SearchResult(others, banks, memories, pending, isComplete, unsearched, authors, mode, named);
        }
    }

    /**
     * An index, as it is searched. This stays as it is, also if the index is closed meanwhile.
     *
     * @param censored the agents whose memories are hidden in the bank
     */
    record SearchedIndex(long bank, DirectoryReader reader, List<Long> censored) {}

    /**
     * The banks that are searched, with their updated indexes.
     *
     * @param unindexed the banks whose indexes are being built
     */
    record SearchScope(SearchQueries.Banks banks, List<SearchedIndex> indexes, List<Long> unindexed)
            implements AutoCloseable {
        @Override
        public void close() {
            indexes.forEach(index -> release(index.reader()));
        }
    }

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
    private record PendingSearch(
            SearchRequest request, QueryParser.Parsed parsed, boolean isByMeaning, Embedder.Question question) {
        PendingSearch within(TimeSpan time) {
            return new PendingSearch(request.within(time), parsed, isByMeaning, question);
        }
    }

    private PendingSearch begin(SearchRequest request) {
        var parsed = QueryParser.parse(request.query());
        var isByMeaning = embedder.isOn()
                && hasWords(parsed)
                && (request.mode() == Mode.VECTOR
                        || request.mode() == Mode.HYBRID
                                && Language.guess(parsed.meaning()).isInScriptOfModel());
        return new PendingSearch(request, parsed, isByMeaning, embedder.question(isByMeaning ? parsed.meaning() : ""));
    }

    /** Returns whether the query has a word. A lone sign means nothing, also to the model. */
    private static boolean hasWords(QueryParser.Parsed parsed) {
        return !TextAnalysis.exactTerms(parsed.meaning()).isEmpty();
    }

    SearchScope scope(Call call, @Nullable Name bank, @Nullable Name author) {
        var positions = new IndexPositions(indexes.positions(call.caller().tenant()));
        var banks = queries.banks(call, bank, author, positions);
        var scope = new SearchScope(banks, new ArrayList<>(), new ArrayList<>());
        try {
            for (var each : banks.banks()) {
                var index = each.isCensored() ? null : current(call, each, positions.of(each.id()));
                if (index != null) {
                    scope.indexes().add(index);
                } else if (!each.isCensored()) {
                    scope.unindexed().add(each.id());
                }
            }
            return scope;
        } catch (RuntimeException e) {
            scope.close();
            throw e;
        }
    }

    /**
     * Reads the banks and searches in them. The model works only for those who may read there.
     *
     * @return empty if a bank is named that the caller cannot see
     */
    Optional<SearchResult> search(Call call, SearchRequest request) {
        try (var scope = freshScope(call, request)) {
            return request.bank() != null && scope.banks().banks().isEmpty()
                    ? Optional.empty()
                    : Optional.of(search(call, scope, request));
        }
    }

    /** Waits a moment for the vectors of what was just stored. No connection and no lock waits with it. */
    private SearchScope freshScope(Call call, SearchRequest request) {
        var scope = scope(call, request.bank(), request.author());
        var isByMeaning = request.mode() != Mode.TEXT && embedder.isOn();
        for (var turn = 0; turn < FRESH_TURNS && isByMeaning && isAwaited(call, scope); turn++) {
            scope.close();
            embedder.hurry();
            HeavyWork.outside(Searcher::pause);
            scope = scope(call, request.bank(), request.author());
        }
        return scope;
    }

    /** Returns the id of a bank that the caller may read. */
    Optional<Long> readable(Call call, Name bank) {
        var positions = new IndexPositions(indexes.positions(call.caller().tenant()));
        return queries.banks(call, bank, null, positions).banks().stream()
                .findFirst()
                .map(SearchedBank::id);
    }

    /**
     * Runs work that searches in the banks that the caller may write.
     *
     * @param bank the only one of them, if not null
     * @param work gets what finds the memories with most of a text's words
     */
    void inWritable(Call call, @Nullable Name bank, Consumer<Function<String, List<Memory>>> work) {
        try (var scope = scope(call, bank, null)) {
            var writable = scope.banks().banks().stream()
                    .filter(each -> each.permission().includes(Permission.WRITE))
                    .map(SearchedBank::id)
                    .toList();
            var searched = new SearchScope(
                    scope.banks(),
                    scope.indexes().stream()
                            .filter(index -> writable.contains(index.bank()))
                            .toList(),
                    scope.unindexed().stream().filter(writable::contains).toList());
            work.accept(text -> byWords(call, searched, text));
        }
    }

    private List<Memory> byWords(Call call, SearchScope scope, String text) {
        var words = withoutOperators(text);
        var request =
                new SearchRequest(words, Mode.TEXT, null, null, List.of(), null, null, null, COMPARED, ZoneOffset.UTC);
        return search(call, scope, request).best().stream()
                .flatMap(hit -> Stream.concat(Stream.of(hit.found()), hit.also().stream()))
                .map(FoundMemory::memory)
                .toList();
    }

    private static String withoutOperators(String text) {
        return OPERATORS.matcher(text).replaceAll(" ");
    }

    private boolean isAwaited(Call call, SearchScope scope) {
        try (var reader = visible(call, scope, null, List.of())) {
            return VectorScan.isAwaited(reader, call.now());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(FRESH_TURN);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.unavailable();
        }
    }

    SearchResult search(Call call, SearchScope scope, SearchRequest request) {
        var pending = begin(request);
        var isTimely = request.isAnyTime() && scope.unindexed().isEmpty(); // The database is not searched three times.
        var time = isTimely ? time(call, scope, request) : Optional.<TimeSpan>empty();
        var all = search(call, scope, pending);
        return time.map(span ->
                        TimeWeight.weighed(all, search(call, scope, pending.within(span)), span, request.limit()))
                .orElse(all);
    }

    /** Returns the time that the question names, or that before or after an event, which is the time of the memory that tells of it. */
    private Optional<TimeSpan> time(Call call, SearchScope scope, SearchRequest request) {
        var named = QuestionTime.of(request.query(), call.now(), request.zone())
                .or(() -> QuestionTime.event(request.query())
                        .flatMap(event ->
                                search(call, scope, begin(request.about(withoutOperators(event.text()))))
                                        .best()
                                        .stream()
                                        .filter(found -> found.score() >= SURE_EVENT)
                                        .findFirst()
                                        .map(found -> event.from(found.memory().updatedAt()))));
        return named.flatMap(span -> span.weighed(call.now()));
    }

    private SearchResult search(Call call, SearchScope scope, PendingSearch pending) {
        var asOf = pending.request().asOf();
        var past = past(call, scope, asOf);
        try {
            var scanned = byWordsOnly(call, scope, pending);
            past.addAll(scanned.found());
            var result = search(call, visible(call, scope, asOf, past), scope, pending);
            return result.without(scanned.failed() + (result.isAnswered() ? 0 : partly(call, scanned.compared())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            past.forEach(BankIndex::close);
        }
    }

    private MultiReader visible(Call call, SearchScope scope, @Nullable Instant asOf, List<BankIndex> past)
            throws IOException {
        var readers = new ArrayList<IndexReader>();
        for (var index : scope.indexes()) {
            readers.add(VisibleReader.of(index.reader(), Hiding.hidden(index.censored(), call.now(), asOf), lengths));
        }
        for (var index : past) {
            readers.add(VisibleReader.of(index.reader(), MatchNoDocsQuery.INSTANCE, lengths));
        }
        return new MultiReader(readers.toArray(IndexReader[]::new), false);
    }

    /** Returns indexes for this search only, of what has been replaced since. */
    private List<BankIndex> past(Call call, SearchScope scope, @Nullable Instant asOf) {
        var past = new ArrayList<BankIndex>();
        if (asOf == null) {
            return past;
        }
        var banks = Stream.concat(scope.indexes().stream().map(SearchedIndex::bank), scope.unindexed().stream());
        for (var bank : banks.toList()) {
            var entries = queries.past(call, bank, asOf);
            if (!entries.isEmpty()) {
                past.add(indexes.write(() -> BankIndex.ofPast(bank, entries)));
            }
        }
        return past;
    }

    /**
     * What the database found by words.
     *
     * @param compared the banks that it compared, perhaps only their newest memories
     * @param failed how many it did not compare
     */
    private record Scanned(List<BankIndex> found, List<Long> compared, int failed) {}

    /**
     * Returns indexes for this search only, of what the database finds by words in the banks whose indexes are being built. A bank that
     * takes the database too long is not searched, and after a few of them the others neither.
     */
    private Scanned byWordsOnly(Call call, SearchScope scope, PendingSearch pending) {
        var found = new ArrayList<BankIndex>();
        var isAnswerable = hasWords(pending.parsed()) || pending.parsed().isOnlyRestricted();
        var banks = isAnswerable ? scope.unindexed() : List.<Long>of();
        var compared = new ArrayList<Long>();
        var failed = 0;
        try {
            for (var at = 0; at < banks.size() && failed < FAILED_SCANS; at++) {
                HeavyWork.pass();
                try {
                    scan(call, banks.get(at), scope, pending, found);
                    compared.add(banks.get(at));
                } catch (Problem e) {
                    failed++;
                    if (e.failure() != Failure.UNAVAILABLE) {
                        throw e;
                    }
                }
            }
            return new Scanned(found, compared, banks.size() - compared.size());
        } catch (RuntimeException e) {
            found.forEach(BankIndex::close);
            throw e;
        }
    }

    /** Adds what is found. */
    private void scan(Call call, long bank, SearchScope scope, PendingSearch pending, List<BankIndex> found) {
        var entries = scan.find(call, bank, scope, pending.parsed(), pending.request());
        if (!entries.isEmpty()) {
            found.add(indexes.write(() -> BankIndex.ofPast(bank, entries)));
        }
    }

    /** Returns of how many of these banks only the newest memories were compared. That matters only if nothing answers. */
    private int partly(Call call, List<Long> banks) {
        return (int) banks.stream()
                .filter(bank -> !scan.isWhole(call, bank, banks.size()))
                .count();
    }

    private static void release(DirectoryReader reader) {
        try {
            reader.decRef();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the index of the bank with everything that was committed when the bank was read; null while it is being built or cannot
     * be written. An index may fail in another thread, or be closed, while this one waits: then it is opened again.
     *
     * @param position the position after which the changes of the bank are listed
     */
    private @Nullable SearchedIndex current(Call call, SearchedBank bank, long position) {
        var tenant = call.caller().tenant();
        try {
            while (!builder.isWithout(tenant, bank.id())) {
                var index = indexes.of(tenant, bank.id());
                var isCurrent = isCurrent(index, bank, position) || isBroughtUpToDate(tenant, index, bank, position);
                var reader = isCurrent ? index.acquire() : null;
                if (reader != null) {
                    return new SearchedIndex(bank.id(), reader, bank.censored());
                }
            }
        } catch (CompletionException e) { // Its files could not be written.
            builder.failed(tenant, bank.id(), e);
        }
        return null;
    }

    private static boolean isCurrent(BankIndex index, SearchedBank bank, long position) {
        return areListed(index, bank, position) && index.has(bank.changes());
    }

    /** Returns whether all changes that the index may lack are listed. One that was opened again may lack others. */
    private static boolean areListed(BankIndex index, SearchedBank bank, long position) {
        return index.position() >= position && bank.changes().size() <= SearchQueries.LISTED_CHANGES;
    }

    /** Returns false if the index cannot take changes, or is closed. */
    private boolean isBroughtUpToDate(long tenant, BankIndex index, SearchedBank bank, long position) {
        if (!isLocked(tenant, bank.id(), index)) {
            return false;
        }
        try {
            if (!isCurrent(index, bank, position)) {
                if (!index.isWritable()) {
                    return false;
                }
                var listed = areListed(index, bank, position) ? bank.changes().size() : Integer.MAX_VALUE;
                if (!builder.isQuick(tenant, bank.id(), index, listed)) {
                    builder.begin(tenant, bank.id());
                    return false;
                }
                builder.read(tenant, bank.id(), index);
            }
            return true;
        } finally {
            index.lock().unlock();
        }
    }

    /** Waits for the lock of an index, unless it is being built. Returns whether this thread holds it. */
    private boolean isLocked(long tenant, long bank, BankIndex index) {
        while (!index.lock().tryLock()) {
            if (builder.isWithout(tenant, bank)) {
                return false;
            }
            HeavyWork.outside(index::awaitUnlocked); // Its holder may wait for a turn.
        }
        return true;
    }

    private SearchResult search(Call call, MultiReader reader, SearchScope scope, PendingSearch pending)
            throws IOException {
        var request = pending.request();
        var parsed = pending.parsed();
        var searcher = new IndexSearcher(reader);
        searcher.setSimilarity(BankIndex.RANKING);
        var languages = languages(reader, parsed);
        var lexical = LexicalQuery.of(parsed, searcher, languages);
        var indexed = new IndexedQuery(
                searcher,
                lexical,
                filtered(lexical.query(), parsed, scope, request),
                filtered(lexical.filter(), parsed, scope, request));
        var rounds = new CandidateRounds(queries, vectors, call, request, indexed);
        var weight = pending.isByMeaning() ? weight(request.mode(), parsed.meaning(), languages) : 0;
        var byWords = pending.isByMeaning() && request.mode() == Mode.VECTOR
                ? FoundByWords.NONE
                : rounds.byWords(weight); // While the vector is being computed.
        var vector = pending.question().vector();
        if (pending.isByMeaning() && vector == null) {
            byWords = rounds.byWords(0);
        }
        var question = vector == null ? null : new QuestionVector(vector, weight);
        var ranking = rounds.best(byWords, question);
        var scoring = new Scoring(new QueryAnalysis(parsed, lexical, weight >= Fusion.ENGLISH), ranking);
        var mode = question == null ? Mode.TEXT : request.mode();
        var best = corrections.first(call, scoring.best(request.limit()), request.asOf(), scoring::hit);
        return new SearchResult(
                best.stream().limit(request.limit()).toList(),
                scope.banks().banks().size(),
                reader.numDocs(),
                embedder.isOn() ? VectorScan.pending(reader) : 0,
                scope.unindexed().isEmpty(),
                0,
                scope.banks().authors(),
                mode,
                null);
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

    private static List<Language> languages(MultiReader reader, QueryParser.Parsed parsed) throws IOException {
        var languages = new LinkedHashSet<>(BankIndex.languages(reader, LANGUAGES));
        if (languages.isEmpty()) {
            languages.add(Language.guess(parsed.meaning()));
        }
        return List.copyOf(languages);
    }

    private static Query filtered(Query query, QueryParser.Parsed parsed, SearchScope scope, SearchRequest request) {
        var all = new BooleanQuery.Builder().add(query, Occur.MUST);
        var tags = new LinkedHashSet<>(request.tags());
        tags.addAll(parsed.tags());
        tags.forEach(tag -> all.add(new TermQuery(BankIndex.tag(tag)), Occur.FILTER));
        var authors = scope.banks().authors();
        if (authors != null) {
            all.add(LongPoint.newSetQuery(BankIndex.AUTHOR, authors), Occur.FILTER);
        }
        var since = request.since();
        var until = request.last();
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
}
