package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.search.SearchParameters.Mode;
import io.agentworkspace.engine.memory.search.SearchResult.FoundMemory;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import io.agentworkspace.engine.memory.search.index.CurrentIndexes;
import io.agentworkspace.engine.memory.search.index.IndexQueries.SearchedBank;
import io.agentworkspace.engine.memory.search.index.SearchScope;
import io.agentworkspace.engine.memory.search.time.QuestionTime;
import io.agentworkspace.engine.memory.search.time.TimeSpan;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds memories in the banks that the caller may read. */
final class Searcher {
    /** How many memories are found that a correction may concern. */
    private static final int COMPARED = 30;

    /** What restricts a query. */
    private static final Pattern OPERATORS = Pattern.compile("[\"*:\\u201c\\u201d]|(?<!\\S)[-\\u2212]");

    /** The score of a memory which surely tells of an event. */
    private static final double SURE_EVENT = 0.5;

    private final CurrentIndexes indexes;
    private final WordScan scan;
    private final IndexedSearch indexed;
    private final Embedder embedder;
    private final FreshVectors fresh;

    public Searcher(CurrentIndexes indexes, WordScan scan, IndexedSearch indexed, Embedder embedder) {
        this.indexes = indexes;
        this.scan = scan;
        this.indexed = indexed;
        this.embedder = embedder;
        this.fresh = new FreshVectors(indexes, embedder);
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
     * Reads the banks and searches in them. The model works only for those who may read there.
     *
     * @return empty if a bank is named that the caller cannot see
     */
    Optional<SearchResult> search(Call call, SearchParameters request) {
        try (var scope = fresh.scope(call, request)) {
            return request.bank() != null && scope.banks().banks().isEmpty()
                    ? Optional.empty()
                    : Optional.of(search(call, scope, request));
        }
    }

    /**
     * Runs work that searches in the banks that the caller may write.
     *
     * @param bank the only one of them, if not null
     * @param work gets what finds the memories with most of a text's words
     */
    void inWritable(Call call, @Nullable Name bank, Consumer<Function<String, List<Memory>>> work) {
        try (var scope = indexes.scope(call, bank, null)) {
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
        var request = new SearchParameters(
                words, Mode.TEXT, null, null, List.of(), null, null, null, COMPARED, ZoneOffset.UTC);
        return search(call, scope, request).best().stream()
                .flatMap(hit -> Stream.concat(Stream.of(hit.found()), hit.also().stream()))
                .map(FoundMemory::memory)
                .toList();
    }

    private static String withoutOperators(String text) {
        return OPERATORS.matcher(text).replaceAll(" ");
    }

    SearchResult search(Call call, SearchScope scope, SearchParameters request) {
        var pending = PendingSearch.of(request, embedder);
        var isTimely = request.isAnyTime() && scope.unindexed().isEmpty(); // The database is not searched three times.
        var time = isTimely ? time(call, scope, request) : Optional.<TimeSpan>empty();
        var all = search(call, scope, pending);
        return time.map(span ->
                        TimeWeight.weighed(all, search(call, scope, pending.within(span)), span, request.limit()))
                .orElse(all);
    }

    /** Returns the time that the question names, or that before or after an event, which is the time of the memory that tells of it. */
    private Optional<TimeSpan> time(Call call, SearchScope scope, SearchParameters request) {
        var named = QuestionTime.of(request.query(), call.now(), request.zone())
                .or(() -> QuestionTime.event(request.query())
                        .flatMap(event -> search(
                                        call,
                                        scope,
                                        PendingSearch.of(request.about(withoutOperators(event.text())), embedder))
                                .best()
                                .stream()
                                .filter(found -> found.score() >= SURE_EVENT)
                                .findFirst()
                                .map(found -> event.from(found.memory().updatedAt()))));
        return named.flatMap(span -> span.weighed(call.now()));
    }

    private SearchResult search(Call call, SearchScope scope, PendingSearch pending) {
        var asOf = pending.request().asOf();
        var past = indexes.past(call, scope, asOf);
        try {
            var scanned = scan.found(call, scope, pending);
            past.addAll(scanned.found());
            var result = indexed.search(call, indexes.visible(call, scope, asOf, past), scope, pending);
            return result.without(scanned.failed() + (result.isAnswered() ? 0 : scan.partly(call, scanned.compared())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            past.forEach(BankIndex::close);
        }
    }
}
