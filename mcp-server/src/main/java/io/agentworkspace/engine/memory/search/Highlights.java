package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.search.LexicalQuery.WordGroup;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The positions of a query's words in a text, and the part of the text with most of them.
 *
 * @param words the words of the query that the text contains
 * @param found which words of the query they are
 * @param corrected which words of the query it has in another spelling only
 * @param spans their positions, in UTF-16 units of the text
 */
record Highlights(List<String> words, BitSet found, BitSet corrected, List<Span> spans) {
    private static final int MOST_SPANS = 20;

    record Span(int start, int end, double weight) {}

    /** A part of a text, and its highlights as pairs of code points. */
    record MarkedExcerpt(String text, boolean isWhole, List<List<Integer>> highlights) {}

    static Highlights of(LexicalQuery query, String name, String text) {
        var found = new BitSet();
        var corrected = new BitSet();
        var spans = new ArrayList<Span>();
        var language = BankIndex.language(name, text);
        var nameTerms = TextAnalysis.stemTerms(language, name);
        var terms = TextAnalysis.stemTerms(language, text);
        var groups = query.groups();
        var exact = groups.stream().allMatch(group -> group.others().isEmpty())
                ? List.<TextAnalysis.Term>of()
                : TextAnalysis.exactTerms(text);
        var stems = places(groups, WordGroup::stems);
        mark(terms, stems, groups, found, spans);
        mark(nameTerms, stems, groups, found, new ArrayList<>());
        var meant = new BitSet();
        mark(exact, places(groups, WordGroup::others), groups, meant, spans);
        for (var i = meant.nextSetBit(0); i >= 0; i = meant.nextSetBit(i + 1)) {
            // A word with a prefix of the query has no stems, and is what was asked for.
            (groups.get(i).stems().isEmpty() ? found : corrected).set(i);
        }
        corrected.andNot(found);
        var words = new LinkedHashSet<String>();
        for (var i = 0; i < groups.size(); i++) {
            if (found.get(i) || corrected.get(i)) {
                words.add(groups.get(i).word());
            }
        }
        return new Highlights(List.copyOf(words), found, corrected, merged(spans));
    }

    /** Returns which words of the query each term stands for. */
    private static Map<String, List<Integer>> places(List<WordGroup> groups, Function<WordGroup, Set<String>> terms) {
        var places = new HashMap<String, List<Integer>>();
        for (var i = 0; i < groups.size(); i++) {
            for (var term : terms.apply(groups.get(i))) {
                places.computeIfAbsent(term, _ -> new ArrayList<>()).add(i);
            }
        }
        return places;
    }

    /** Marks the words of the query and their spans, in one pass over the terms: a text may have tens of thousands. */
    private static void mark(
            List<TextAnalysis.Term> terms,
            Map<String, List<Integer>> places,
            List<WordGroup> groups,
            BitSet marked,
            List<Span> spans) {
        for (var term : terms) {
            for (var place : places.getOrDefault(term.text(), List.of())) {
                marked.set(place);
                spans.add(new Span(term.start(), term.end(), groups.get(place).weight()));
            }
        }
    }

    private static List<Span> merged(List<Span> spans) {
        var merged = new ArrayList<Span>();
        spans.stream()
                .sorted(java.util.Comparator.comparingInt(Span::start).thenComparingInt(Span::end))
                .forEach(span -> {
                    var last = merged.isEmpty() ? null : merged.getLast();
                    if (last != null && span.start() < last.end()) {
                        merged.set(
                                merged.size() - 1,
                                new Span(
                                        last.start(),
                                        Math.max(last.end(), span.end()),
                                        Math.max(last.weight(), span.weight())));
                    } else {
                        merged.add(span);
                    }
                });
        return merged;
    }

    /** Returns the text if it has at most this many characters, else this many around the words with the most weight. */
    MarkedExcerpt part(String text, int room) {
        if (text.length() <= room) {
            return new MarkedExcerpt(text, true, inPart(text, 0, text.length()));
        }
        var best = bestStart(room);
        var start = Math.max(0, Math.min(best, text.length() - room));
        while (start > 0 && !Character.isWhitespace(text.charAt(start - 1)) && start > best - room / 4) {
            start--;
        }
        if (start > 0 && Character.isLowSurrogate(text.charAt(start))) {
            start--;
        }
        var end = Math.min(text.length(), start + room);
        if (end < text.length() && Character.isLowSurrogate(text.charAt(end))) {
            end--;
        }
        return new MarkedExcerpt(text.substring(start, end), false, inPart(text, start, end));
    }

    /** Returns the start, a little before the first word of the best group. */
    private int bestStart(int room) {
        var best = 0;
        var most = -1.0;
        var sum = 0.0;
        var from = 0;
        for (var span : spans) {
            sum += span.weight();
            while (span.end() - spans.get(from).start() > room * 3 / 4) {
                sum -= spans.get(from++).weight();
                if (from >= spans.size()) {
                    return best;
                }
            }
            if (sum > most) {
                most = sum;
                best = spans.get(from).start();
            }
        }
        return best - room / 8;
    }

    private List<List<Integer>> inPart(String text, int start, int end) {
        return spans.stream()
                .filter(span -> span.start() >= start && span.end() <= end)
                .limit(MOST_SPANS)
                .map(span -> List.of(text.codePointCount(start, span.start()), text.codePointCount(start, span.end())))
                .toList();
    }
}
