package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.banks.SimilarMemories;
import io.agentworkspace.engine.memory.search.Searcher.Mode;
import io.agentworkspace.engine.memory.words.TextLikeness;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Finds memories with nearly the same text by their words. */
public final class SimilarSearch implements SimilarMemories {
    /** The share of neighbouring words that both texts must have. */
    private static final double LEAST = 0.5;

    private static final int WORDS = 48;
    private static final int CANDIDATES = 10;
    private static final int CHARACTERS = 160;

    private final Searcher searcher;

    public SimilarSearch(Searcher searcher) {
        this.searcher = searcher;
    }

    @Override
    public List<Similar> find(Call call, Name bank, String text) {
        var words = TextAnalysis.exactWords(text);
        try (var scope = searcher.scope(call, bank, null)) {
            // While an index is being built, a search reads the whole bank.
            return scope.unindexed().isEmpty() && !scope.indexes().isEmpty() ? find(call, scope, words) : List.of();
        } catch (Problem e) { // Storing refuses it, too, or need not wait for it.
            return List.of();
        }
    }

    private List<Similar> find(Call call, Searcher.SearchScope scope, List<String> words) {
        var query = String.join(" ", words.stream().distinct().limit(WORDS).toList());
        var request = new Searcher.SearchRequest(query, Mode.TEXT, null, null, List.of(), null, null, null, CANDIDATES);
        var text = TextLikeness.of(words);
        return searcher.search(call, scope, request).best().stream()
                .flatMap(found -> Stream.concat(Stream.of(found.memory()), found.also().stream()))
                .map(memory -> new Similar(
                        memory.id(),
                        memory.name(),
                        rounded(text.to(TextLikeness.of(TextAnalysis.exactWords(memory.text())))),
                        Excerpt.cut(memory.text(), CHARACTERS)))
                .filter(similar -> similar.score() >= LEAST)
                .sorted(Comparator.comparingDouble(Similar::score).reversed())
                .limit(MOST)
                .toList();
    }

    private static double rounded(double score) {
        return Math.round(score * 1_000) / 1_000.0;
    }
}
