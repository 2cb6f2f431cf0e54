package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.Documents.Document;
import io.agentworkspace.engine.hubs.markdown.Markdown;
import io.agentworkspace.engine.hubs.markdown.Markdown.Section;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the sections of documents that hold all of some words; first those that have them in their heading. */
final class DocSearch {
    static final int MAX_QUERY = 100;

    static final int MAX_HITS = 30;
    private static final int MAX_WORDS = 8;
    private static final int EXCERPT = 220;
    private static final int BEFORE = 60;

    private static final int SAME = 100;
    private static final int IN_HEADING = 20;
    private static final int IN_TITLE = 5;
    private static final int IN_A_ROW = 10;

    private final List<Place> places;

    private record Place(Document document, Section section, String heading, String text) {}

    DocSearch(List<Document> documents, Function<Document, Markdown.Rendered> rendered) {
        places = documents.stream()
                .flatMap(document -> rendered.apply(document).sections().stream()
                        .map(section ->
                                new Place(document, section, heading(document, section), lower(section.text()))))
                .toList();
    }

    /** A page has two names: that in lists, and that at its top. */
    private static String heading(Document document, Section section) {
        return lower(isWhole(section) ? document.title() + " " + section.title() : section.title());
    }

    private static boolean isWhole(Section section) {
        return section.level() <= 1;
    }

    /** @param page the document's title, where the section's is another */
    record Hit(String address, String title, String page, List<Part> excerpt) {}

    record Part(String text, boolean marked) {}

    private record Scored(Place place, int score) {}

    /** The best first, 30 at most. */
    List<Hit> find(String query) {
        var words = Stream.of(lower(query).strip().split("\\s+"))
                .limit(MAX_WORDS)
                .distinct()
                .toList();
        return places.stream()
                .map(place -> new Scored(place, score(place, words)))
                .filter(scored -> scored.score() > 0)
                .sorted(Comparator.comparingInt(Scored::score).reversed())
                .limit(MAX_HITS)
                .map(scored -> hit(scored.place(), words))
                .toList();
    }

    /** 0 where a word is missing. */
    private static int score(Place place, List<String> words) {
        var title = lower(place.document().title());
        var score = 0;
        for (var word : words) {
            var points = (place.heading().contains(word) ? IN_HEADING : 0)
                    + (title.contains(word) ? IN_TITLE : 0)
                    + Math.min(IN_TITLE, count(place.text(), word));
            if (points == 0 || (!place.heading().contains(word) && !place.text().contains(word))) {
                return 0;
            }
            score += points;
        }
        var phrase = String.join(" ", words);
        return score
                + (place.heading().equals(phrase) ? SAME : 0)
                + (words.size() > 1 && place.text().contains(phrase) ? IN_A_ROW : 0);
    }

    private static int count(String text, String word) {
        var count = 0;
        for (var at = text.indexOf(word); at >= 0 && count < IN_TITLE; at = text.indexOf(word, at + word.length())) {
            count++;
        }
        return count;
    }

    private static Hit hit(Place place, List<String> words) {
        var id = place.section().id();
        var isWhole = isWhole(place.section());
        var title = place.document().title();
        return new Hit(
                place.document().address() + (isWhole ? "" : "#" + id),
                isWhole ? title : place.section().title(),
                isWhole ? "" : title,
                excerpt(place.section().text(), words));
    }

    /** A piece of the text around the first of the words, with all of them marked in it. */
    private static List<Part> excerpt(String text, List<String> words) {
        var pattern = Pattern.compile(
                words.stream().map(Pattern::quote).collect(Collectors.joining("|")),
                Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
        var first = pattern.matcher(text);
        var from = first.find() && first.start() > BEFORE ? text.indexOf(' ', first.start() - BEFORE) + 1 : 0;
        var cut = text.length() > from + EXCERPT ? text.lastIndexOf(' ', from + EXCERPT) : text.length();
        var piece = text.substring(from, cut > from ? cut : text.length());
        var parts = new ArrayList<Part>();
        var done = 0;
        for (var found : pattern.matcher(piece).results().toList()) {
            parts.add(new Part((done == 0 && from > 0 ? "… " : "") + piece.substring(done, found.start()), false));
            parts.add(new Part(found.group(), true));
            done = found.end();
        }
        parts.add(new Part(piece.substring(done) + (cut < text.length() ? " …" : ""), false));
        return parts;
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
