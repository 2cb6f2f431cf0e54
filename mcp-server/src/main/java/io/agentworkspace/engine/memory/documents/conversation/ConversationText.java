package io.agentworkspace.engine.memory.documents.conversation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a conversation in plain text or Markdown. A turn begins with a line {@code [2026-05-03T10:00:00Z] Ann: …} or
 * {@code Ann (2026-05-03 10:00): …}. A heading directly above a turn begins a session; without headings, each day is one.
 */
final class ConversationText {
    private static final int FEWEST = 2;
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(\\S.{0,300})");
    private static final List<Pattern> BEGINS = List.of(
            Pattern.compile("\\[(?<time>[^\\]]{8,40})] (?<speaker>[^:\\n]{1,80}):(?<text>| .*)"),
            Pattern.compile("(?<speaker>[^:()\\n]{1,80}) \\((?<time>[^)]{8,40})\\):(?<text>| .*)"));

    private final List<SaidText> turns = new ArrayList<>();
    private final StringBuilder said = new StringBuilder();
    private @Nullable Begin current;
    private @Nullable String title;

    private ConversationText() {}

    private record Begin(String speaker, Instant time, String text) {
        static @Nullable Begin of(String line) {
            for (var form : BEGINS) {
                var found = form.matcher(line);
                var time = found.matches() ? TurnTime.of(found.group("time")) : Optional.<Instant>empty();
                if (time.isPresent()) {
                    return new Begin(
                            found.group("speaker").strip(),
                            time.get(),
                            found.group("text").strip());
                }
            }
            return null;
        }
    }

    /** Returns the turns; none if the text is no conversation. */
    static List<SaidText> read(String text) {
        var lines = text.lines().toList();
        var first = lines.stream()
                .filter(line -> !line.isBlank() && !HEADING.matcher(line).matches())
                .findFirst();
        if (first.isEmpty() || Begin.of(first.get()) == null) {
            return List.of();
        }
        var conversation = new ConversationText();
        for (var i = 0; i < lines.size(); i++) {
            conversation.take(lines, i);
        }
        conversation.end();
        return conversation.turns.size() < FEWEST ? List.of() : conversation.turns;
    }

    private void take(List<String> lines, int at) {
        var line = lines.get(at);
        var heading = HEADING.matcher(line);
        var begin = Begin.of(line);
        if (begin != null) {
            end();
            current = begin;
            said.append(begin.text());
        } else if (heading.matches() && isAboveATurn(lines, at)) {
            end();
            title = heading.group(1).strip();
        } else if (current != null) {
            said.append('\n').append(line);
        }
    }

    private static boolean isAboveATurn(List<String> lines, int heading) {
        var next = heading + 1;
        while (next < lines.size() && lines.get(next).isBlank()) {
            next++;
        }
        return next < lines.size() && Begin.of(lines.get(next)) != null;
    }

    private void end() {
        if (current != null && !said.toString().isBlank()) {
            var session = title == null ? TurnTime.day(current.time()) : title;
            var turn = new Turn(current.speaker(), current.time(), session);
            turns.add(new SaidText(turn, said.toString().strip(), "turn " + (turns.size() + 1)));
        }
        current = null;
        said.setLength(0);
    }
}
