package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.text.Highlights;
import io.agentworkspace.engine.kernel.text.Highlights.Span;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.memory.search.LexicalQuery.WordGroup;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Finds the words of a query in a memory. */
final class FoundWords {
    private FoundWords() {}

    /** Returns the positions of the words in the text; those in its name count as found, too. */
    static Highlights in(LexicalQuery query, String name, String text) {
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
                .sorted(Comparator.comparingInt(Span::start).thenComparingInt(Span::end))
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
}
