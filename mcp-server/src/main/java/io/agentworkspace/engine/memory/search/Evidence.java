package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.text.Highlights;
import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What speaks for a memory as an answer to a query. Each figure is from 0 to 1.
 *
 * @param words the share of the query's words that it has, rare ones count more; corrected spellings count less
 * @param rare the same, where the rarest words count most
 * @param order the share of the neighbouring words of the query that follow each other in it, too
 * @param name the share of the words of its name that are in the query
 * @param tag 1 if a word of the query is one of its tags
 * @param literal the share of the query's identifiers that it has to the letter; 0.5 if the query has none
 * @param likeness how like it is by meaning; -1 where that is not known
 * @param isOnlyRestricted whether the query has no words, and asks for all that pass its restrictions
 */
record Evidence(
        double words,
        double rare,
        double order,
        double name,
        double tag,
        double literal,
        double likeness,
        boolean isOnlyRestricted) {
    /** A word in another spelling is probably the word that was meant. */
    private static final double CORRECTED = 0.75;

    private static final double NO_IDENTIFIERS = 0.5;

    /** What may follow or enclose an identifier in a sentence. */
    private static final String PUNCTUATION = ".,;:!?\"'`()[]{}<>“”„«»";

    private static final int BETWEEN = 2;

    static Evidence of(Scoring.QueryAnalysis analysis, Highlights highlights, SearchResult.FoundMemory found) {
        var query = analysis.query();
        var memory = found.memory();
        var name = memory.name() == null ? "" : memory.name();
        var words =
                query.groups().isEmpty() ? (analysis.parsed().isOnlyRestricted() ? 1 : 0) : share(query, highlights, 1);
        return new Evidence(
                words,
                query.groups().isEmpty() ? words : share(query, highlights, 2),
                order(analysis.parsed(), memory.text(), words),
                named(name, analysis),
                memory.tags().stream().anyMatch(tag -> hasWord(analysis, tag)) ? 1 : 0,
                literal(analysis.parsed().meaning(), name + "\n" + memory.text()),
                analysis.isMeaningSure() && !isOneOtherWord(words, memory.text())
                        ? found.candidate().likeness()
                        : -1,
                query.groups().isEmpty() && words == 1);
    }

    /** Returns whether the text is one word, and not of the query. The model finds such a word like any other. */
    private static boolean isOneOtherWord(double words, String text) {
        return words == 0 && TextAnalysis.exactTerms(text).size() <= 1;
    }

    private static double share(LexicalQuery query, Highlights highlights, double power) {
        var all = 0.0;
        var found = 0.0;
        for (var i = 0; i < query.groups().size(); i++) {
            var weight = Math.pow(query.groups().get(i).weight(), power);
            all += weight;
            found += weight
                    * (highlights.found().get(i) ? 1 : highlights.corrected().get(i) ? CORRECTED : 0);
        }
        return all == 0 ? 0 : found / all;
    }

    /** @param words what a query without neighbouring words has */
    private static double order(QueryParser.Parsed parsed, String text, double words) {
        var positions = new HashMap<String, List<Integer>>();
        var terms = TextAnalysis.exactTerms(text);
        for (var i = 0; i < terms.size(); i++) {
            positions
                    .computeIfAbsent(terms.get(i).text(), _ -> new ArrayList<>())
                    .add(i);
        }
        var pairs = 0;
        var found = 0;
        for (var run : parsed.runs()) {
            var phrase = TextAnalysis.exactTerms(run);
            for (var i = 1; i < phrase.size(); i++) {
                pairs++;
                var first = positions.getOrDefault(phrase.get(i - 1).text(), List.of());
                var second = positions.getOrDefault(phrase.get(i).text(), List.of());
                found += first.stream()
                                .anyMatch(at -> second.stream().anyMatch(next -> next > at && next <= at + BETWEEN))
                        ? 1
                        : 0;
            }
        }
        return pairs == 0 ? words : (double) found / pairs;
    }

    private static double named(String name, Scoring.QueryAnalysis analysis) {
        var terms = new HashSet<String>();
        TextAnalysis.exactTerms(name).forEach(term -> terms.add(term.text()));
        if (terms.isEmpty()) {
            return 0;
        }
        var words = words(analysis);
        return (double) terms.stream().filter(words::contains).count() / terms.size();
    }

    private static boolean hasWord(Scoring.QueryAnalysis analysis, String tag) {
        var words = words(analysis);
        var terms = TextAnalysis.exactTerms(tag);
        return !terms.isEmpty() && terms.stream().allMatch(term -> words.contains(term.text()));
    }

    private static Set<String> words(Scoring.QueryAnalysis analysis) {
        var words = new HashSet<String>();
        analysis.query().groups().forEach(group -> words.addAll(group.exact()));
        return words;
    }

    private static double literal(String query, String text) {
        var identifiers = Stream.of(query.split("\\s+"))
                .map(Evidence::stripped)
                .filter(Evidence::isIdentifier)
                .distinct()
                .toList();
        return identifiers.isEmpty()
                ? NO_IDENTIFIERS
                : identifiers.stream().filter(each -> contains(text, each)).count() / (double) identifiers.size();
    }

    private static String stripped(String word) {
        var start = 0;
        var end = word.length();
        while (start < end && PUNCTUATION.indexOf(word.charAt(start)) >= 0) {
            start++;
        }
        while (end > start && PUNCTUATION.indexOf(word.charAt(end - 1)) >= 0) {
            end--;
        }
        return word.substring(start, end);
    }

    /** Returns whether it is more than a word: it has digits, symbols, or capitals after the first letter. */
    private static boolean isIdentifier(String word) {
        return !word.isEmpty()
                && word.chars().anyMatch(Character::isLetterOrDigit)
                && (!word.chars().allMatch(Character::isLetter)
                        || !word.substring(1).toLowerCase(Locale.ROOT).equals(word.substring(1)));
    }

    /** Returns whether the text has the identifier, which is no part of a longer one. */
    private static boolean contains(String text, String identifier) {
        for (var at = text.indexOf(identifier); at >= 0; at = text.indexOf(identifier, at + 1)) {
            var end = at + identifier.length();
            if ((at == 0 || !continues(text.charAt(at - 1), identifier.charAt(0)))
                    && (end == text.length()
                            || !continues(text.charAt(end), identifier.charAt(identifier.length() - 1)))) {
                return true;
            }
        }
        return false;
    }

    /** @param last the first or last character of the identifier; symbols such as ++ are only continued by themselves */
    private static boolean continues(char next, char last) {
        return Character.isLetterOrDigit(last) ? Character.isLetterOrDigit(next) : next == last;
    }
}
