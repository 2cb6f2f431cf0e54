package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.search.SearchQueries.Bank;
import io.agentworkspace.engine.memory.search.SearchQueries.Found;
import io.agentworkspace.engine.memory.search.SearchQueries.Known;
import io.agentworkspace.engine.memory.search.SearchQueries.Place;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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
import org.jspecify.annotations.Nullable;

/** Finds memories: brings the index of each bank up to date, asks it, and asks the database what of it the caller may see. */
final class Searcher {
    private static final int LANGUAGES = 4;

    /** How many candidates are looked at, and how many where readers may see too few of them. */
    private static final List<Integer> CANDIDATES = List.of(100, 1_000, 10_000);

    private final SearchQueries queries;
    private final IndexCache indexes;

    Searcher(SearchQueries queries, IndexCache indexes) {
        this.queries = queries;
        this.indexes = indexes;
    }

    /** What is searched for. */
    record Wanted(
            String query,
            @Nullable Name bank,
            @Nullable Name author,
            List<String> tags,
            @Nullable Instant since,
            @Nullable Instant until,
            @Nullable Instant asOf,
            int limit) {}

    /**
     * A memory that was found.
     *
     * @param rank its place among those found by words
     */
    record Candidate(Found found, int rank) {}

    /** What was found, best first. */
    record Result(List<Candidate> candidates, LexicalQuery query, List<Language> languages, int banks, long memories) {}

    /** The banks that are searched, with their indexes up to date. */
    record Scope(SearchQueries.Banks banks, List<BankIndex> indexes) {}

    Scope scope(Call call, @Nullable Name bank, @Nullable Name author) {
        var banks = queries.banks(call, bank, author, known(call));
        var current = new ArrayList<BankIndex>();
        for (var each : banks.banks()) {
            if (!each.isCensored()) {
                current.add(current(call, each));
            }
        }
        return new Scope(banks, current);
    }

    Result search(Call call, Scope scope, Wanted wanted) {
        var readers = new ArrayList<DirectoryReader>();
        var past = past(call, scope, wanted.asOf());
        try {
            scope.indexes().forEach(index -> readers.add(index.acquire()));
            past.forEach(index -> readers.add(index.acquire()));
            return search(call, new MultiReader(readers.toArray(IndexReader[]::new), false), scope, wanted);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            readers.forEach(Searcher::release);
            past.forEach(BankIndex::close);
        }
    }

    /** Indexes, for this search alone, of what has been replaced since. */
    private List<BankIndex> past(Call call, Scope scope, @Nullable Instant asOf) {
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

    private Known known(Call call) {
        var banks = new ArrayList<Long>();
        var positions = new ArrayList<String>();
        indexes.positions(call.caller().tenant()).forEach((bank, position) -> {
            banks.add(bank);
            positions.add(Long.toString(position));
        });
        return new Known(banks, positions);
    }

    /** The index of the bank with everything that was committed when the bank was read. */
    private BankIndex current(Call call, Bank bank) {
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
        var after = new BankIndex.Change(new UUID(0, 0), Long.toString(index.position()));
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
                    .filter(entry -> !index.has(new BankIndex.Change(entry.id(), entry.change())))
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
            after = new BankIndex.Change(last.id(), last.change());
        }
    }

    private Result search(Call call, MultiReader reader, Scope scope, Wanted wanted) throws IOException {
        var searcher = new IndexSearcher(reader);
        searcher.setSimilarity(BankIndex.RANKING);
        var parsed = QueryParser.parse(wanted.query());
        var languages = languages(reader, parsed);
        var lexical = LexicalQuery.of(parsed, searcher, languages);
        var query = filtered(lexical.query(), parsed, scope, wanted);
        var visible = List.<Candidate>of();
        for (var most : CANDIDATES) {
            var top = searcher.search(query, most);
            visible = visible(call, places(reader, top.scoreDocs), wanted.asOf());
            if (visible.size() >= wanted.limit() || top.scoreDocs.length < most) {
                break;
            }
        }
        return new Result(visible, lexical, languages, scope.banks().banks().size(), reader.numDocs());
    }

    private static List<Language> languages(MultiReader reader, QueryParser.Parsed parsed) throws IOException {
        var languages = new LinkedHashSet<>(BankIndex.languages(reader, LANGUAGES));
        if (languages.isEmpty()) {
            languages.add(Language.guess(parsed.meaning()));
        }
        return List.copyOf(languages);
    }

    private static Query filtered(Query query, QueryParser.Parsed parsed, Scope scope, Wanted wanted) {
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

    private static List<Place> places(MultiReader reader, ScoreDoc[] docs) throws IOException {
        var places = new ArrayList<Place>();
        for (var doc : docs) {
            var leaf = reader.leaves().get(ReaderUtil.subIndex(doc.doc, reader.leaves()));
            var ids = leaf.reader().getBinaryDocValues(BankIndex.ID);
            var banks = leaf.reader().getNumericDocValues(BankIndex.BANK);
            ids.advanceExact(doc.doc - leaf.docBase);
            banks.advanceExact(doc.doc - leaf.docBase);
            places.add(new Place(banks.longValue(), BankIndex.id(ids.binaryValue())));
        }
        return places;
    }

    private List<Candidate> visible(Call call, List<Place> places, @Nullable Instant asOf) {
        if (places.isEmpty()) {
            return List.of();
        }
        Map<Place, Found> seen = new HashMap<>();
        queries.visible(call, places, asOf).forEach(found -> seen.put(found.place(), found));
        var visible = new ArrayList<Candidate>();
        for (var place : places) {
            var found = seen.get(place);
            if (found != null) {
                visible.add(new Candidate(found, visible.size() + 1));
            }
        }
        return Collections.unmodifiableList(visible);
    }

    /** The memories of the candidates, whole, in their order; without those that were hidden in the meantime. */
    List<SearchQueries.Shown> shown(Call call, List<Candidate> candidates, @Nullable Instant asOf) {
        if (candidates.isEmpty()) {
            return List.of();
        }
        var places = candidates.stream().map(each -> each.found().place()).toList();
        Map<Place, SearchQueries.Shown> shown = new HashMap<>();
        queries.shown(call, places, asOf).forEach(memory -> shown.put(memory.place(), memory));
        return places.stream().filter(shown::containsKey).map(shown::get).toList();
    }
}
