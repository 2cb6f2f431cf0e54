package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.text.Language;
import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import io.agentworkspace.engine.memory.search.index.BankIndex.IndexedMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.lucene.search.IndexSearcher;

/** An index in memory of English texts that are no memories, which are found by the same words as memories are. */
public final class TextIndex {
    /** A text's place in the list is its number here: the index keeps the order, and nothing is deleted from it. */
    private final BankIndex index;

    public TextIndex(List<String> texts) {
        try {
            index = BankIndex.ofPast(
                    0,
                    IntStream.range(0, texts.size())
                            .mapToObj(place -> new IndexedMemory(
                                    new UUID(0, place), "0", null, texts.get(place), List.of(), 0, Instant.EPOCH, null))
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns by the place of a text in the list about which share of the query's words it has; no text without any.
     *
     * @param isTyped whether the last word may be unfinished
     */
    public Map<Integer, Double> find(String query, boolean isTyped) {
        try {
            var searcher = new IndexSearcher(index.reader());
            searcher.setSimilarity(BankIndex.RANKING);
            var lexical = lexical(query.strip(), searcher, isTyped);
            return lexical.groups().isEmpty()
                    ? Map.of()
                    : lexical.breadths(searcher, searcher.search(lexical.query(), index.size()).scoreDocs);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static LexicalQuery lexical(String text, IndexSearcher searcher, boolean isTyped) throws IOException {
        var last = text.substring(text.lastIndexOf(' ') + 1);
        var isBegun = isTyped && LexicalQuery.isBeginning(last, searcher.getIndexReader());
        var words = isBegun ? text.substring(0, text.length() - last.length()) : text;
        var beginnings = isBegun ? List.of(last) : List.<String>of();
        var parsed = new QueryParser.Parsed(words, text, List.of(), List.of(), beginnings, List.of(), List.of());
        return LexicalQuery.of(parsed, searcher, List.of(Language.ENGLISH));
    }
}
