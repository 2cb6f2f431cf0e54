package io.agentworkspace.engine.model.search;

import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds tools by what they do, for {@code find_tools} and the hub. The index contains the words of their titles,
 * descriptions and fields, and what else callers call them. It also knows which words mean the same. Rare words count
 * more than common ones.
 */
public final class ToolSearch {
    private static final Pattern BREAK = Pattern.compile("[^\\p{L}\\p{N}]+");

    private static final Set<String> IDLE = Set.of(
            "a", "an", "the", "of", "to", "as", "in", "into", "from", "for", "on", "at", "by", "with", "it", "its",
            "is", "are", "be", "been", "this", "that", "these", "those", "i", "me", "my", "you", "your", "we", "our",
            "us", "and", "or", "so", "do", "does", "did", "what", "how", "can", "may", "will", "has", "have", "had",
            "there", "here", "any", "some", "all", "one", "s", "t", "else", "am", "was", "were", "not", "no", "if",
            "only", "then", "up", "please", "want", "need");

    /** The weight of a word, by the place where a tool has it. */
    private static final double PHRASE = 3;

    private static final double TITLE = 2.5;
    private static final double DESCRIPTION = 1;
    private static final double DETAIL = 0.4;
    private static final double FIELD = 0.3;

    /** The weight of a word with the same meaning, compared with the word itself. */
    private static final double SAME_MEANING = 0.6;

    /** What a tool gets if callers call it exactly this, or name one of its fields. */
    private static final double EXACT = 20;

    private static final Map<String, String> MEANINGS = meanings();

    private final List<IndexedTool> entries;
    private final Map<String, Double> rarity = new HashMap<>();

    /** The words that tools have and those that mean the same, with how many tools have each. */
    private final Map<String, Integer> vocabulary = new HashMap<>();

    /** A tool's words, each with the weight of the best place that has it. */
    private record IndexedTool(
            Tool<?, ?> tool, Map<String, Double> words, List<Set<String>> phrases, Set<String> fields) {}

    private record ScoredTool(Tool<?, ?> tool, double score) {}

    public ToolSearch(Collection<Tool<?, ?>> tools) {
        entries = tools.stream().<IndexedTool>map(ToolSearch::entry).toList();
        var counts = new HashMap<String, Integer>();
        entries.forEach(entry -> entry.words().keySet().forEach(word -> counts.merge(word, 1, Integer::sum)));
        MEANINGS.keySet().forEach(word -> vocabulary.put(word, 0));
        counts.forEach((word, count) -> {
            if (!word.startsWith("=")) {
                vocabulary.put(word, count);
            }
        });
        counts.forEach((word, count) -> rarity.put(word, Math.log(1 + (double) entries.size() / count)));
    }

    /** Returns the matching tools, best first. */
    public List<Tool<?, ?>> find(String query, Predicate<Tool<?, ?>> allowed) {
        var wanted = words(query).stream().map(this::known).distinct().toList();
        var scored = new ArrayList<ScoredTool>();
        for (var entry : entries) {
            var score = score(wanted, entry) + (entry.fields().contains(query.strip()) ? EXACT : 0);
            if (score > 0 && allowed.test(entry.tool())) {
                scored.add(new ScoredTool(entry.tool(), score));
            }
        }
        scored.sort(Comparator.comparingDouble(ScoredTool::score).reversed());
        return scored.stream().<Tool<?, ?>>map(ScoredTool::tool).toList();
    }

    /** The word itself if any tool has it, else the word that it begins or misspells. */
    private String known(String word) {
        var isKnown = rarity.containsKey(word) || rarity.containsKey(meaning(MEANINGS.getOrDefault(word, word)));
        return isKnown ? word : Spelling.nearest(word, vocabulary).orElse(word);
    }

    private double score(List<String> wanted, IndexedTool entry) {
        var score = entry.phrases().contains(Set.copyOf(wanted)) ? EXACT : 0;
        for (var word : wanted) {
            var meaning = MEANINGS.getOrDefault(word, word);
            var own = weight(word, entry);
            var same = SAME_MEANING * weight(meaning(meaning), entry);
            score += Math.max(own, same);
        }
        return score + phrases(wanted, entry);
    }

    private double weight(String word, IndexedTool entry) {
        return entry.words().getOrDefault(word, 0.0) * rarity.getOrDefault(word, 0.0);
    }

    /** Returns a score that is higher if one phrase contains several of the words. */
    private static double phrases(List<String> wanted, IndexedTool entry) {
        var best = 0.0;
        for (var phrase : entry.phrases()) {
            var common = wanted.stream().filter(phrase::contains).count();
            if (common > 1) {
                best = Math.max(best, 2.0 * common * common / (phrase.size() + wanted.size()));
            }
        }
        return best;
    }

    private static IndexedTool entry(Tool<?, ?> tool) {
        var words = new HashMap<String, Double>();
        var phrases = new ArrayList<Set<String>>();
        for (var phrase : tool.guide().phrases()) {
            add(phrase, PHRASE, words);
            phrases.add(Set.copyOf(words(phrase)));
        }
        phrases.add(Set.copyOf(words(tool.title())));
        add(tool.title() + " " + tool.name().replaceAll("(?<=[a-z])(?=[A-Z])", " "), TITLE, words);
        add(tool.family().word() + " " + tool.family().title(), TITLE, words);
        add(tool.description(), DESCRIPTION, words);
        add(tool.guide().details(), DETAIL, words);
        var fields =
                Field.of(tool.inputSchema().json()).stream().map(Field::path).collect(Collectors.toSet());
        fields.forEach(field -> add(field, FIELD, words));
        return new IndexedTool(tool, words, phrases, fields);
    }

    private static void add(String text, double weight, Map<String, Double> words) {
        for (var word : words(text)) {
            words.merge(word, weight, Math::max);
            words.merge(meaning(MEANINGS.getOrDefault(word, word)), weight, Math::max);
        }
    }

    /** Returns the words of a text, without endings, each once, in order. */
    static List<String> words(String text) {
        var words = new LinkedHashSet<String>();
        for (var word : BREAK.split(text.toLowerCase(Locale.ROOT).replace("'", ""))) {
            if (!word.isEmpty() && !IDLE.contains(word)) {
                words.add(stem(word));
            }
        }
        return List.copyOf(words);
    }

    /** Marks a meaning, so that it differs from the word that names it. */
    private static String meaning(String word) {
        return "=" + word;
    }

    /**
     * Removes the endings of plurals and verbs: {@code replies} and {@code reply} become the same, and so do
     * {@code sends} and {@code sending}.
     */
    private static String stem(String word) {
        if (word.length() > 4 && word.endsWith("ies")) {
            return word.substring(0, word.length() - 3) + "y";
        }
        for (var ending : List.of("ing", "ed", "es", "e", "s")) {
            if (word.length() > ending.length() + 2 && word.endsWith(ending) && !word.endsWith("ss")) {
                var stem = word.substring(0, word.length() - ending.length());
                var last = stem.length() - 1;
                var isDoubled = ending.length() > 1 && last > 2 && stem.charAt(last) == stem.charAt(last - 1);
                return isDoubled && stem.charAt(last) != 's' && stem.charAt(last) != 'l'
                        ? stem.substring(0, last)
                        : stem;
            }
        }
        return word;
    }

    private static Map<String, String> meanings() {
        var meanings = new HashMap<String, String>();
        for (var line : read().lines().toList()) {
            if (!line.startsWith("#")) {
                var words = words(line);
                words.forEach(word -> meanings.putIfAbsent(word, words.getFirst()));
            }
        }
        return Map.copyOf(meanings);
    }

    private static String read() {
        try (var file = ToolSearch.class.getResourceAsStream("/search/synonyms.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
