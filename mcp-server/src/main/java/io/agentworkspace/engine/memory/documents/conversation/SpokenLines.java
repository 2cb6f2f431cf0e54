package io.agentworkspace.engine.memory.documents.conversation;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The lines of what somebody said, as a conversation in text has them. One that would be read as a heading, as HTML or as another turn begins
 * with a backslash. The first line does not, since the speaker is before it.
 */
public final class SpokenLines {
    /** A line that would be read as a part of the document, or that would be it without its backslashes. */
    private static final Pattern STRUCTURE = Pattern.compile(" {0,3}\\\\*(#{1,6}([ \\t].*|)|(=+|-+)[ \\t]*|<.*)");

    /** A line that would be read as the beginning of a turn, wherever it is. */
    private static final Pattern TURN =
            Pattern.compile("\\s*(\\[\\d{4}-\\d{2}-\\d{2}T.*|(?i:user|human|assistant|agent|system|tool): .*)");

    /** The beginning of code (CommonMark 0.31, section 4.5). */
    private static final Pattern FENCE = Pattern.compile(" {0,3}(```+(?=[^`]*$)|~~~+).*");

    private SpokenLines() {}

    /** Returns what was said with the backslashes; code that does not end is ended. */
    public static String escaped(String said, String speaker) {
        var lines = new ArrayList<String>();
        var fence = "";
        for (var line : said.lines().toList()) {
            var isFirst = lines.isEmpty();
            var isEscaped = !isFirst
                    && (isTurn(line, speaker)
                            || fence.isEmpty() && STRUCTURE.matcher(line).matches());
            lines.add(isEscaped ? "\\" + line.stripLeading() : line);
            fence = fence(line, fence);
        }
        if (!fence.isEmpty()) {
            lines.add(fence);
        }
        return String.join("\n", lines);
    }

    private static boolean isTurn(String line, String speaker) {
        return TURN.matcher(line).matches()
                || line.stripLeading().startsWith(speaker + ": ")
                || ConversationText.isBegin(line.strip());
    }

    /**
     * Returns what was said without the backslashes before headings and HTML. Those before other turns stay, so that nobody takes what
     * one person wrote for what another one said.
     */
    static String plain(List<String> lines) {
        var plain = new ArrayList<String>();
        var fence = "";
        for (var line : lines) {
            var isEscaped = !plain.isEmpty()
                    && fence.isEmpty()
                    && line.startsWith("\\")
                    && STRUCTURE.matcher(line).matches();
            plain.add(isEscaped ? line.substring(1) : line);
            fence = fence(line, fence);
        }
        return String.join("\n", plain);
    }

    /** Returns the fence that is open after the line; an empty text if none is. */
    private static String fence(String line, String open) {
        if (open.isEmpty()) {
            var begin = FENCE.matcher(line);
            return begin.matches() ? begin.group(1) : "";
        }
        var end = line.strip();
        var isEnd = end.startsWith(open) && end.chars().allMatch(sign -> sign == open.charAt(0));
        return isEnd ? "" : open;
    }
}
