package io.agentworkspace.engine.model.search;

import io.agentworkspace.engine.model.problem.Near;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Finds the known word that somebody began to write or misspelled. */
public final class Spelling {
    private static final int MIN_BEGINNING = 2;
    private static final int MIN_MISSPELLED = 4;
    private static final int LONG = 8;

    private Spelling() {}

    private record Candidate(String word, int distance, int count) {}

    /**
     * The known word that begins with a word, else the most similar one: with the same first letter, and one letter wrong,
     * missing, added or transposed; two in words of eight letters and more. Of several, the most frequent.
     *
     * @param vocabulary words in small letters, and how frequent each is
     */
    public static Optional<String> nearest(String word, Map<String, Integer> vocabulary) {
        if (word.length() >= MIN_BEGINNING) {
            var completion = vocabulary.entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith(word))
                    .max(Map.Entry.<String, Integer>comparingByValue()
                            .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())));
            if (completion.isPresent()) {
                return completion.map(Map.Entry::getKey);
            }
        }
        return word.length() < MIN_MISSPELLED ? Optional.empty() : misspelled(word, vocabulary);
    }

    private static Optional<String> misspelled(String word, Map<String, Integer> vocabulary) {
        var most = word.length() < LONG ? 1 : 2;
        var distance = new LevenshteinDistance(most);
        return vocabulary.entrySet().stream()
                .filter(entry -> entry.getKey().charAt(0) == word.charAt(0)
                        && Math.abs(entry.getKey().length() - word.length()) <= most)
                .map(entry -> new Candidate(
                        entry.getKey(),
                        Near.isTransposed(entry.getKey(), word) ? 1 : distance.apply(entry.getKey(), word),
                        entry.getValue()))
                .filter(candidate -> candidate.distance() >= 0) // -1 is more than the most.
                .min(Comparator.comparingInt(Candidate::distance)
                        .thenComparing(Comparator.comparingInt(Candidate::count).reversed())
                        .thenComparing(Candidate::word))
                .map(Candidate::word);
    }
}
