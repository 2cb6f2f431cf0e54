package io.agentworkspace.engine.prose;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The rules of language: the length of a sentence, the share of passive voice, and banned phrases. */
final class ProseRules {
    /** Most sentences should have 25 words at most; none may have more than this. */
    static final int MOST_WORDS = 30;

    /** In decisions, for those who know the code. */
    static final int MOST_WORDS_OF_SPECIALISTS = 40;

    /** Of a document's sentences, in percent. */
    static final int MOST_PASSIVE = 33;

    static final int MOST_PASSIVE_OF_SPECIALISTS = 50;

    private static final Pattern PASSIVE = Pattern.compile(
            "(?i)\\b(?:is|are|was|were|be|been|being)(?:\\s+(?:not|never|always|only|also|still|then|first|again|\\w+ly))*\\s+"
                    + "(?!(?:required|allowed|supported|called|named|needed|limited|signed|connected|selected|logged)\\b)"
                    + "(?:\\w{2,}ed|built|chosen|done|found|given|held|hidden|kept|known|lost|made|put|read|run|seen|sent|set|"
                    + "shown|stopped|stored|taken|told|written)\\b");

    /** Banned phrases, each with its replacement. */
    private static final Map<Pattern, String> BANNED = Map.ofEntries(
            banned("whose .{1,40} is, is", "the server caches the owner of …"),
            banned("what there is, is", "name the things: counts, agents, banks, …"),
            banned("has the word\\b", "wins"),
            banned("nobody promises|nobody tests", "This is not supported"),
            banned("has had (?:its|their) time", "has expired"),
            banned(
                    "\\b(?:it|which|that|they|key|keys) (?:stands?|lies|lie) (?:in|under|before|beside|among|there)\\b",
                    "it is in …"),
            banned("\\blest\\b", "so that"),
            banned("\\bwhat must hold\\b", "the requirement"),
            banned(
                    "\\bthe (?:door|doors|gate) (?:is|are|lists?|shows?|takes?|gives?|says?|answers?|refuses?)\\b",
                    "the MCP endpoint, the REST API"),
            banned("\\b(?:both|either|each|every|which|one|other|same) doors?\\b", "the MCP endpoint, the REST API"),
            banned("\\bwhoever asks\\b|\\bwho asks\\b", "a client that requests"),
            banned(
                    "\\b(?:engine|server|service|page|tool|command|answer|response|table|field|header|line|log|note) (?:tells|says)\\b",
                    "returns, reports, contains"),
            banned(
                    "\\b(?:utili[sz]e|leverage|facilitate|in order to|please note|it should be noted|simply|just works)\\b",
                    "plain words"),
            banned("\\bwhereupon\\b|\\bthereof\\b|\\bthereby\\b|\\bhence\\b|\\bthus\\b", "plain words"),
            banned("\\banew\\b", "again"),
            banned("\\bnought\\b", "only"),
            banned("\\[Source: REDACTED", "no library's words"),
            banned("\\bAgent Workspace\\b(?! (?:Engine|Command))(?!`)", "Agent Workspace Engine, or the engine"));

    private ProseRules() {}

    private static Map.Entry<Pattern, String> banned(String regex, String instead) {
        return Map.entry(Pattern.compile("(?i:" + regex + ")"), instead);
    }

    /** What is wrong with a sentence by itself; empty if nothing is. */
    static Optional<String> fault(String sentence) {
        return fault(sentence, MOST_WORDS);
    }

    static Optional<String> fault(String sentence, int most) {
        var words = Prose.words(sentence);
        if (words > most) {
            return Optional.of("%d words: %s".formatted(words, sentence));
        }
        return BANNED.entrySet().stream()
                .filter(rule -> rule.getKey().matcher(sentence).find())
                .map(rule -> "write \"%s\": %s".formatted(rule.getValue(), sentence))
                .findFirst();
    }

    static boolean isPassive(String sentence) {
        return PASSIVE.matcher(sentence).find();
    }

    /** Too many of these are passive; empty if not. Few sentences say nothing about a style. */
    static Optional<String> passive(List<String> sentences, int most) {
        var passive = sentences.stream().filter(ProseRules::isPassive).toList();
        return sentences.size() >= 10 && passive.size() * 100 > sentences.size() * most
                ? Optional.of("%d of %d sentences are passive: %s"
                        .formatted(
                                passive.size(),
                                sentences.size(),
                                passive.stream().limit(40).collect(Collectors.joining(" | "))))
                : Optional.empty();
    }
}
