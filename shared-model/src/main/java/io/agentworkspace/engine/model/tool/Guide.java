package io.agentworkspace.engine.model.tool;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * How clients and callers find a tool, beyond its name and description.
 *
 * @param details what callers need to know beyond the description; shown by {@code describe_tool} and the
 *     documents
 * @param phrases other names that callers may use; {@code find_tools} finds the tool by them
 * @param tellsContext whether the response over MCP has the context even if the call did not change it; such a
 *     tool is in the default list even if its family is not
 * @param shortener removes from a response over MCP what the caller knows from its own arguments
 * @param page the page that shows the result to a person, in clients that show pages; null for none
 */
public record Guide(
        String details,
        List<String> phrases,
        boolean tellsContext,
        @Nullable BiConsumer<ObjectNode, ObjectNode> shortener,
        Set<Hint> hints,
        @Nullable Page page) {
    /** A page that shows the results of tools to a person. */
    public enum Page {
        CONVERSATION,
        SEARCH,
        QUESTIONS,
        TASKS
    }

    /** What clients need to know about a tool, and models do not. */
    public enum Hint {
        /** It is in the toolset {@code work}, that of coding agents. */
        WORK,
        /** The default list leaves it out, though it has its family; {@code find_tools} finds it. */
        ON_DEMAND,
        /** Clients that load tools when a model searches for them should load it from the start. */
        ALWAYS_LOAD,
        /** Its result may be large, and should reach the model whole. */
        LARGE_RESULT,
        /** Some of its calls remove something, such as a file or a secret, so clients should not run it unasked. */
        MAY_REMOVE
    }

    static final Set<Family> DEFAULT = Set.of(Family.AGENT, Family.DOMAIN, Family.ZONE, Family.BANK);

    /** How many words a search hint has. */
    private static final int WORDS = 5;

    private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\p{L}\\p{N}]+");

    /** Words that say nothing about what a tool does. */
    private static final Set<String> FUNCTION_WORDS = Set.of(
            "about",
            "already",
            "and",
            "any",
            "are",
            "can",
            "could",
            "did",
            "does",
            "for",
            "from",
            "get",
            "has",
            "have",
            "here",
            "his",
            "how",
            "into",
            "its",
            "made",
            "make",
            "may",
            "need",
            "not",
            "off",
            "one",
            "our",
            "out",
            "shall",
            "should",
            "some",
            "someone",
            "something",
            "that",
            "the",
            "their",
            "them",
            "there",
            "they",
            "this",
            "was",
            "what",
            "when",
            "where",
            "which",
            "who",
            "whose",
            "why",
            "will",
            "with",
            "you",
            "your");

    /** Returns whether the tool is in the toolset {@code work}. */
    public boolean isForWork() {
        return hints.contains(Hint.WORK);
    }

    /**
     * Returns plain words by which clients find the tool that search in names and descriptions only: those of its title
     * and of what callers call it, which name and description do not have.
     */
    String searchHint(String name, String title, String description) {
        var vocabulary = new LinkedHashSet<>(words(name + " " + description));
        var hint = new LinkedHashSet<String>();
        words(title + " " + String.join(" ", phrases)).stream()
                .filter(vocabulary::add)
                .forEach(hint::add);
        return String.join(" ", hint.stream().limit(WORDS).toList());
    }

    private static List<String> words(String text) {
        return Arrays.stream(BETWEEN_WORDS.split(text.toLowerCase(Locale.ROOT)))
                .filter(word -> word.length() > 2 && !FUNCTION_WORDS.contains(word))
                .toList();
    }
}
