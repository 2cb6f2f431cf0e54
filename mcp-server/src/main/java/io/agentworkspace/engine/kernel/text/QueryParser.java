package io.agentworkspace.engine.kernel.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Parses a query. Quotation marks require a phrase, a minus excludes a word or phrase, {@code name:} and {@code tag:}
 * restrict, and an asterisk at the end of a word makes it a prefix. An empty phrase is ignored. No query is an error: text without
 * operators is a list of words.
 */
public final class QueryParser {
    private static final String MARKS = "\"“”„«»";

    private final String query;
    private int at;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder meaning = new StringBuilder();
    private final List<String> phrases = new ArrayList<>();
    private final List<String> excluded = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<String> tags = new ArrayList<>();

    /** Whether {@code name:} and {@code tag:} restrict. Otherwise they are text. */
    private final boolean hasFields;

    private QueryParser(String query, boolean hasFields) {
        this.query = query;
        this.hasFields = hasFields;
    }

    /**
     * A parsed query.
     *
     * @param text the words to rank by
     * @param meaning the words and phrases, for comparing meanings
     * @param phrases required literally
     * @param excluded words and phrases that must not occur
     * @param prefixes beginnings of words to rank by
     * @param names words that the name must contain
     * @param tags all of which the memory must have
     */
    public record Parsed(
            String text,
            String meaning,
            List<String> phrases,
            List<String> excluded,
            List<String> prefixes,
            List<String> names,
            List<String> tags) {
        /** Returns whether it only ranks memories, and leaves none out. */
        public boolean isUnrestricted() {
            return phrases.isEmpty() && excluded.isEmpty() && names.isEmpty() && tags.isEmpty();
        }

        /** Returns whether it asks for all memories that pass its restrictions, and not for certain words. */
        public boolean isOnlyRestricted() {
            return !isUnrestricted() && text.isEmpty() && prefixes.isEmpty();
        }

        /** Returns the words as they follow each other, as far as the query gives them. */
        public List<String> runs() {
            var runs = new ArrayList<String>(phrases);
            runs.add(text);
            return runs;
        }
    }

    public static Parsed parse(String query) {
        return new QueryParser(query, true).parsed();
    }

    /** Parses a query of texts that have neither names nor tags. */
    public static Parsed parseText(String query) {
        return new QueryParser(query, false).parsed();
    }

    private Parsed parsed() {
        while (at < query.length()) {
            if (Character.isWhitespace(query.charAt(at))) {
                at++;
            } else {
                item();
            }
        }
        List.of(phrases, excluded, names, tags).forEach(values -> values.removeIf(QueryParser::isEmpty));
        return new Parsed(
                text.toString().strip(), meaning.toString().strip(), phrases, excluded, prefixes, names, tags);
    }

    private void item() {
        var isExcluded = query.charAt(at) == '-' && at + 1 < query.length() && excludes(query.charAt(at + 1));
        if (isExcluded) {
            at++;
        }
        var phrase = phrase();
        if (phrase != null) {
            if (isExcluded) {
                excluded.add(phrase);
            } else {
                phrases.add(phrase);
                meaning.append(phrase).append(' ');
            }
            return;
        }
        if (hasFields && !isExcluded && (restricts("name:", names) || restricts("tag:", tags))) {
            return;
        }
        var word = word();
        if (isExcluded) {
            excluded.add(word);
        } else {
            positive(word);
        }
    }

    private static boolean isEmpty(String value) {
        return value.codePoints()
                .allMatch(c -> Character.isWhitespace(c)
                        || Character.isSpaceChar(c)
                        || Character.getType(c) == Character.FORMAT);
    }

    private void positive(String word) {
        meaning.append(word).append(' ');
        if (word.length() > 2 && word.endsWith("*") && Character.isLetterOrDigit(word.charAt(word.length() - 2))) {
            prefixes.add(word.substring(0, word.length() - 1));
        } else {
            text.append(word).append(' ');
        }
    }

    /** Returns whether a minus before this character excludes: {@code -5} and {@code --flag} are text. */
    private static boolean excludes(char next) {
        return Character.isLetter(next) || MARKS.indexOf(next) >= 0;
    }

    private boolean restricts(String operator, List<String> values) {
        if (!query.regionMatches(true, at, operator, 0, operator.length())) {
            return false;
        }
        var value = at + operator.length();
        if (value == query.length() || Character.isWhitespace(query.charAt(value))) {
            return false;
        }
        at = value;
        values.add(Objects.requireNonNullElseGet(phrase(), this::word));
        return true;
    }

    private String word() {
        var start = at;
        while (at < query.length() && !Character.isWhitespace(query.charAt(at))) {
            at++;
        }
        return query.substring(start, at);
    }

    /** Returns the phrase that begins here; null if there is none, or its end is missing. */
    private @Nullable String phrase() {
        if (at >= query.length() || MARKS.indexOf(query.charAt(at)) < 0) {
            return null;
        }
        for (var end = at + 1; end < query.length(); end++) {
            if (MARKS.indexOf(query.charAt(end)) >= 0) {
                var phrase = query.substring(at + 1, end).strip();
                at = end + 1;
                return phrase;
            }
        }
        return null;
    }
}
