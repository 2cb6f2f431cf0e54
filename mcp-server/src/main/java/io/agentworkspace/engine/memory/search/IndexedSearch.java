package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.text.Language;
import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.search.CandidateRounds.FoundByWords;
import io.agentworkspace.engine.memory.search.CandidateRounds.IndexedQuery;
import io.agentworkspace.engine.memory.search.CandidateRounds.QuestionVector;
import io.agentworkspace.engine.memory.search.Scoring.QueryAnalysis;
import io.agentworkspace.engine.memory.search.SearchParameters.Mode;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import io.agentworkspace.engine.memory.search.index.SearchScope;
import io.agentworkspace.engine.model.tool.Call;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.MultiReader;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;

/** Searches in the indexes of banks, in {@link CandidateRounds}, and ranks what it finds. */
final class IndexedSearch {
    private static final int LANGUAGES = 4;

    private final SearchQueries queries;
    private final Embedder embedder;
    private final Corrections corrections;
    private final VectorScan vectors = new VectorScan();

    IndexedSearch(SearchQueries queries, Embedder embedder, Corrections corrections) {
        this.queries = queries;
        this.embedder = embedder;
        this.corrections = corrections;
    }

    SearchResult search(Call call, MultiReader reader, SearchScope scope, PendingSearch pending) throws IOException {
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

    private static Query filtered(Query query, QueryParser.Parsed parsed, SearchScope scope, SearchParameters request) {
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
