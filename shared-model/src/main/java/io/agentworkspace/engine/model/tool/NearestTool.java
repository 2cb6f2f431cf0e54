package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** The tool that is probably meant by an unknown name: {@code AP_Creat}, {@code create_agent}. */
public final class NearestTool {
    /** Words that do not identify a tool. */
    private static final Set<String> IDLE =
            Set.of("a", "an", "the", "of", "to", "as", "in", "into", "from", "for", "your", "you", "tool", "engine");

    /** A tool with a name that the caller can use. */
    public record Titled(String name, String title, boolean reads) {
        public static Titled of(Tool<?, ?> tool) {
            return new Titled(tool.name(), tool.title(), tool.effect().reads());
        }

        private String family() {
            return name.contains("_") ? name.substring(0, name.indexOf('_') + 1) : "";
        }

        private Set<String> words() {
            var verb = name.substring(family().length());
            return Stream.concat(
                            NearestTool.words(verb),
                            Stream.concat(NearestTool.words(title), Family.findOfTool(name).map(Family::word).stream()))
                    .collect(Collectors.toSet());
        }
    }

    private NearestTool() {}

    /**
     * Returns the hint for the caller: the tool that is probably meant. If none is similar enough, the hint is how to
     * list all tools, with the nearest name of a tool that only reads, since a guess must not lead to a change.
     *
     * @param list what lists all tools
     */
    public static String hint(String name, Collection<Titled> tools, String list) {
        return tool(name, tools)
                .map("did you mean %s?"::formatted)
                .orElseGet(() -> "%s shows all that there are%s"
                        .formatted(
                                list,
                                closest(name, tools)
                                        .map(", the nearest name is "::concat)
                                        .orElse("")));
    }

    /**
     * Returns the name of a tool that only reads: the one that shares the most words; among those, the one with the
     * most similar letters.
     */
    private static Optional<String> closest(String name, Collection<Titled> tools) {
        var excerpt = Name.shortened(name);
        var words = words(excerpt).collect(Collectors.toSet());
        var distance = LevenshteinDistance.getDefaultInstance();
        return tools.stream()
                .filter(Titled::reads)
                .max(Comparator.comparingInt((Titled tool) -> common(words, tool.words()))
                        .thenComparing(
                                tool -> distance.apply(Name.key(tool.name()), Name.key(excerpt)),
                                Comparator.reverseOrder())
                        .thenComparing(Titled::name, Comparator.reverseOrder()))
                .map(Titled::name);
    }

    private static int common(Set<String> some, Set<String> others) {
        return (int) some.stream().filter(others::contains).count();
    }

    /**
     * Returns the similar tool: by its letters within the family that the name has, otherwise by its words. Empty if
     * nothing is similar enough.
     */
    static Optional<String> tool(String name, Collection<Titled> tools) {
        var excerpt = Name.shortened(name);
        return letters(excerpt, tools).or(() -> words(excerpt, tools));
    }

    private static Optional<String> letters(String name, Collection<Titled> tools) {
        var family = tools.stream()
                .map(Titled::family)
                .filter(prefix -> !prefix.isEmpty() && name.regionMatches(true, 0, prefix, 0, prefix.length()))
                .findFirst()
                .orElse("");
        var rests = tools.stream()
                .filter(tool -> tool.family().equals(family) || family.isEmpty())
                .map(tool -> tool.name().substring(family.length()))
                .toList();
        return Near.nearest(name.substring(family.length()), rests, 1).stream()
                .map(rest -> family + rest)
                .findFirst();
    }

    private static Optional<String> words(String name, Collection<Titled> tools) {
        record Scored(String name, double score) {}
        var words = words(name).collect(Collectors.toSet());
        return tools.stream()
                .map(tool -> new Scored(tool.name(), score(words, tool.words())))
                .filter(scored -> scored.score() > 0)
                .max(Comparator.comparingDouble(Scored::score).thenComparing(Scored::name, Comparator.reverseOrder()))
                .map(Scored::name);
    }

    /**
     * Returns how similar both are by their common words; 0 if these are fewer than two or not the majority of the
     * wanted ones.
     */
    private static double score(Set<String> words, Set<String> vocabulary) {
        var both = common(words, vocabulary);
        return both < 2 || both * 2 <= words.size() ? 0 : (double) both / (words.size() + vocabulary.size() - both);
    }

    /**
     * Splits a text into words: {@code createAgents}, {@code create_agent} and {@code Create an agent} have the same
     * words.
     */
    private static Stream<String> words(String text) {
        var apart = text.replaceAll("(\\p{Ll})(\\p{Lu})", "$1 $2").toLowerCase(Locale.ROOT);
        return Arrays.stream(apart.split("[^\\p{L}\\p{N}]+"))
                .map(word -> word.length() > 3 && word.endsWith("s") ? word.substring(0, word.length() - 1) : word)
                .filter(word -> !word.isEmpty() && !IDLE.contains(word));
    }
}
