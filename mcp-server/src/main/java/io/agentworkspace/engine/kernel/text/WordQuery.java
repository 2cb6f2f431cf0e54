package io.agentworkspace.engine.kernel.text;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A query of texts that are found by their words alone, and where such a text has them.
 *
 * @param words as they are in the query, without function words if it has others
 * @param prefixes beginnings of words
 * @param phrases required literally
 * @param excluded words and phrases that must not occur
 */
public record WordQuery(List<String> words, List<String> prefixes, List<String> phrases, List<String> excluded) {
    /** The maximum number of words, and of prefixes; what follows is ignored. */
    private static final int MOST = 32;

    /** The part of a text that has most of the words; the highlights are pairs of code points. */
    public record Excerpt(String text, boolean isWhole, List<String> words, List<List<Integer>> highlights) {}

    public static WordQuery parse(String query) {
        var parsed = QueryParser.parseText(query);
        var all = Stream.of(parsed.text().split("\\s+"))
                .filter(word -> !word.isEmpty())
                .distinct()
                .toList();
        var own = Language.guess(parsed.meaning()).functionWords();
        var telling = all.stream()
                .filter(word -> !TextAnalysis.words(word).stream().allMatch(own::contains))
                .toList();
        var isOnlyFunction = telling.isEmpty()
                && parsed.phrases().isEmpty()
                && parsed.prefixes().isEmpty();
        return new WordQuery(
                first(isOnlyFunction ? all : telling),
                first(parsed.prefixes()),
                first(parsed.phrases()),
                first(parsed.excluded()));
    }

    private static List<String> first(List<String> some) {
        return some.stream().distinct().limit(MOST).toList();
    }

    /** Returns whether it asks for certain words, and does not only exclude some. */
    public boolean asks() {
        return !(words.isEmpty() && prefixes.isEmpty() && phrases.isEmpty());
    }

    /** Returns the text if it has at most so many characters, otherwise the part with most of the words. */
    public Excerpt excerpt(String text, int room) {
        var terms = TextAnalysis.exactTerms(text);
        var present = new HashSet<String>();
        terms.forEach(term -> present.add(term.text()));
        var found = new LinkedHashSet<String>();
        var marked = new HashSet<String>();
        Stream.concat(phrases.stream(), words.stream()).forEach(item -> {
            var own = Set.copyOf(TextAnalysis.exactWords(item));
            if (present.containsAll(own)) {
                found.add(item);
                marked.addAll(own);
            }
        });
        for (var prefix : prefixes) {
            var start = String.join("", TextAnalysis.exactWords(prefix));
            var own = present.stream().filter(word -> word.startsWith(start)).toList();
            if (!own.isEmpty()) {
                found.add(prefix + "*");
                marked.addAll(own);
            }
        }
        var spans = new ArrayList<Highlights.Span>();
        terms.stream()
                .filter(term -> marked.contains(term.text()))
                .forEach(term -> spans.add(new Highlights.Span(term.start(), term.end(), 1)));
        var part = new Highlights(List.copyOf(found), new BitSet(), new BitSet(), spans).part(text, room);
        return new Excerpt(part.text(), part.isWhole(), List.copyOf(found), part.highlights());
    }
}
