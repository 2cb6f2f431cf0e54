package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.Documents.DocFile;
import io.agentworkspace.engine.hubs.markdown.Markdown;
import io.agentworkspace.engine.hubs.markdown.Markdown.Section;
import io.agentworkspace.engine.model.search.Spelling;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the sections of documents that contain all of some words: first those that have them in their heading, and whole words
 * before parts of words. The change log and the pages for contributors count half. A word that no document contains is replaced by
 * the most similar one.
 */
final class DocSearch {
    static final int MAX_QUERY = 100;

    static final int MAX_HITS = 30;
    private static final int MAX_WORDS = 8;
    private static final int EXCERPT = 220;
    private static final int BEFORE = 60;

    private static final int SAME = 100;
    private static final int WHOLE_IN_HEADING = 20;
    private static final int IN_HEADING = 20;
    private static final int WHOLE = 10;
    private static final int IN_TITLE = 5;
    private static final int IN_A_ROW = 10;

    private static final Pattern BREAK = Pattern.compile("[^\\p{L}\\p{N}_]+");

    private final List<IndexedSection> places;
    private final BiFunction<DocFile, Section, String> addresses;
    private final Map<String, Integer> vocabulary = new HashMap<>();

    /** @param words of the heading and the text, whole */
    private record IndexedSection(
            DocFile document, Section section, String heading, Set<String> named, String text, Set<String> words) {
        static IndexedSection of(DocFile document, Section section) {
            var heading = headingOf(document, section);
            var text = lower(section.text());
            return new IndexedSection(document, section, heading, wordsOf(heading), text, wordsOf(text));
        }
    }

    /** @param addresses where each section is read */
    DocSearch(
            List<DocFile> documents,
            Function<DocFile, Markdown.Rendered> rendered,
            BiFunction<DocFile, Section, String> addresses) {
        this.addresses = addresses;
        places = documents.stream()
                .flatMap(document -> rendered.apply(document).sections().stream()
                        .map(section -> IndexedSection.of(document, section)))
                .toList();
        places.forEach(place -> {
            place.words().forEach(word -> vocabulary.merge(word, 1, Integer::sum));
            place.named().forEach(word -> vocabulary.merge(word, 1, Integer::sum));
        });
    }

    private static Set<String> wordsOf(String text) {
        return BREAK.splitAsStream(text).filter(word -> !word.isEmpty()).collect(Collectors.toSet());
    }

    /** A page has two names: that in lists, and that at its top. */
    private static String headingOf(DocFile document, Section section) {
        return lower(isWhole(section) ? document.title() + " " + section.title() : section.title());
    }

    private static boolean isWhole(Section section) {
        return section.level() <= 1;
    }

    /** @param page the document's title, if the section's differs */
    record DocHit(String address, String title, String page, List<Fragment> excerpt) {}

    record Fragment(String text, boolean marked) {}

    private record ScoredSection(IndexedSection place, int score) {}

    /** Returns the words of a query. A word that no document contains is replaced by the most similar one. */
    List<String> understood(String query) {
        return Stream.of(lower(query).strip().split("\\s+"))
                .limit(MAX_WORDS)
                .map(this::corrected)
                .distinct()
                .toList();
    }

    private String corrected(String word) {
        return places.stream()
                        .anyMatch(place ->
                                place.text().contains(word) || place.heading().contains(word))
                ? word
                : Spelling.nearest(word, vocabulary).orElse(word);
    }

    /** Returns the best hits first, 30 at most. */
    List<DocHit> find(String query) {
        var words = understood(query);
        return places.stream()
                .map(place -> new ScoredSection(place, score(place, words)))
                .filter(scored -> scored.score() > 0)
                .sorted(Comparator.comparingInt(ScoredSection::score).reversed())
                .limit(MAX_HITS)
                .map(scored -> hit(scored.place(), words))
                .toList();
    }

    /** Returns the score of a section; 0 if it lacks one of the words. */
    private static int score(IndexedSection place, List<String> words) {
        var title = lower(place.document().title());
        var score = 0;
        for (var word : words) {
            var points = (place.heading().contains(word) ? IN_HEADING : 0)
                    + (place.named().contains(word) ? WHOLE_IN_HEADING : 0)
                    + (place.words().contains(word) ? WHOLE : 0)
                    + (title.contains(word) ? IN_TITLE : 0)
                    + Math.min(IN_TITLE, count(place.text(), word));
            if (points == 0 || (!place.heading().contains(word) && !place.text().contains(word))) {
                return 0;
            }
            score += points;
        }
        var phrase = String.join(" ", words);
        score += (place.heading().equals(phrase) ? SAME : 0)
                + (words.size() > 1 && place.text().contains(phrase) ? IN_A_ROW : 0);
        return place.document().isForUsers() ? score : (score + 1) / 2;
    }

    private static int count(String text, String word) {
        var count = 0;
        for (var at = text.indexOf(word); at >= 0 && count < IN_TITLE; at = text.indexOf(word, at + word.length())) {
            count++;
        }
        return count;
    }

    private DocHit hit(IndexedSection place, List<String> words) {
        var isWhole = isWhole(place.section());
        var title = place.document().title();
        return new DocHit(
                addresses.apply(place.document(), place.section()),
                isWhole ? title : place.section().title(),
                isWhole ? "" : title,
                excerpt(place.section().text(), words));
    }

    /** Returns a piece of the text around the first of the words, with all of them marked. */
    private static List<Fragment> excerpt(String text, List<String> words) {
        var pattern = Pattern.compile(
                words.stream().map(Pattern::quote).collect(Collectors.joining("|")),
                Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
        var first = pattern.matcher(text);
        var from = first.find() && first.start() > BEFORE ? text.indexOf(' ', first.start() - BEFORE) + 1 : 0;
        var cut = text.length() > from + EXCERPT ? text.lastIndexOf(' ', from + EXCERPT) : text.length();
        var piece = text.substring(from, cut > from ? cut : text.length());
        var parts = new ArrayList<Fragment>();
        var done = 0;
        for (var found : pattern.matcher(piece).results().toList()) {
            parts.add(new Fragment((done == 0 && from > 0 ? "… " : "") + piece.substring(done, found.start()), false));
            parts.add(new Fragment(found.group(), true));
            done = found.end();
        }
        parts.add(new Fragment(piece.substring(done) + (cut < text.length() ? " …" : ""), false));
        return parts;
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
