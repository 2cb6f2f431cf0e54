package io.agentworkspace.engine.memory.documents.conversation;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Tells whether names before texts are speakers, or the labels of a log, a list or a catalogue. */
final class Speakers {
    /** Who speaks in the conversations of models. Such names are certain. */
    private static final Set<String> ROLES = Set.of(
            "user",
            "human",
            "assistant",
            "system",
            "tool",
            "developer",
            "agent",
            "ai",
            "bot",
            "chatgpt",
            "claude",
            "gemini",
            "copilot");

    private static final Pattern LABEL = Pattern.compile(
            "[-*#>\\d].*|(?!.*@).*\\p{L}{2}\\.\\p{L}{2}.*|(?:info|notice|warn|warning|err|error|debug|trace|fatal|critical"
                    + "|notes?|version|release|todo|done|fix|fixed|added|changed|update|summary|decision)\\b.*",
            Pattern.CASE_INSENSITIVE);

    /** So many turns there are for each speaker beyond the first two. */
    private static final int TURNS = 3;

    private Speakers() {}

    static boolean isRole(String speaker) {
        return ROLES.contains(speaker.toLowerCase(Locale.ROOT));
    }

    /** Returns whether these are the speakers of a conversation's turns: two or more, of whom one speaks again. */
    static boolean converse(List<SaidText> turns) {
        var speakers = turns.stream().map(said -> said.turn().speaker()).toList();
        var different = Set.copyOf(speakers);
        return different.stream().allMatch(Speakers::isRole)
                || different.stream()
                                .noneMatch(speaker -> LABEL.matcher(speaker).matches())
                        && different.size() > 1
                        && different.size() < speakers.size()
                        && different.size() <= 2 + speakers.size() / TURNS;
    }
}
