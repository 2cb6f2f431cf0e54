package io.agentworkspace.engine.memory.documents.conversation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a conversation in plain text or Markdown. A turn begins with a line {@code [2026-05-03T10:00:00Z] Ann: …} or
 * {@code Ann (2026-05-03 10:00): …}. Headings above a turn begin a session; without headings, each day is one.
 * Between people, a heading elsewhere or long texts make it a document of another kind.
 */
final class ConversationText {
    private static final int FEWEST = 2;
    private static final Pattern HEADING = Pattern.compile("(#{1,6}) +(\\S.*)");
    private static final Pattern FENCE = Pattern.compile(" {0,3}(```+|~~~+).*");
    private static final int LONGEST_TITLE = 300;

    /** So many paragraphs a turn between people has at most, on the average. */
    private static final int PARAGRAPHS = 5;

    private static final List<Pattern> BEGINS = List.of(
            Pattern.compile("\\[(?<time>[^\\]]{8,40})] (?<speaker>[^:\\n]{1,80}):(?<text>| .*)"),
            Pattern.compile("(?<speaker>[^\\\\:()\\n][^:()\\n]{0,79}) \\((?<time>[^)]{8,40})\\):(?<text>| .*)"));

    private final List<SaidText> turns = new ArrayList<>();
    private final StringBuilder said = new StringBuilder();
    private @Nullable Begin current;
    private final List<String> lines;

    /** The headings above the current turn, by their levels. */
    private final NavigableMap<Integer, String> headings = new TreeMap<>();

    private boolean isNewSession;
    private int paragraphs;
    private boolean hasOtherHeadings;

    private ConversationText(List<String> lines) {
        this.lines = lines;
    }

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
        var conversation = new ConversationText(lines);
        conversation.read();
        return conversation.isOne() ? conversation.turns : List.of();
    }

    /** Returns whether a line begins a turn. */
    static boolean isBegin(String line) {
        return Begin.of(line) != null;
    }

    private void read() {
        var codeEnd = 0;
        for (var at = 0; at < lines.size(); at++) {
            if (at >= codeEnd) {
                codeEnd = codeEnd(at);
            }
            if (at < codeEnd) {
                said.append('\n').append(lines.get(at));
            } else {
                take(at);
            }
        }
        end();
    }

    /** Returns the line after the code that begins at a line; the line if none does. */
    private int codeEnd(int at) {
        var fence = FENCE.matcher(lines.get(at));
        if (current != null && fence.matches()) {
            for (var end = at + 1; end < lines.size(); end++) {
                if (lines.get(end).strip().startsWith(fence.group(1))) {
                    return end + 1;
                }
            }
        }
        return at;
    }

    private void take(int at) {
        var line = lines.get(at);
        var heading = HEADING.matcher(line);
        var begin = Begin.of(line);
        if (begin != null) {
            end();
            current = begin;
            isNewSession = false;
            said.append(begin.text());
        } else if (heading.matches() && (current == null || isAboveATurn(at))) {
            end();
            var level = heading.group(1).length();
            if (!isNewSession) {
                headings.tailMap(level, true).clear();
            }
            headings.merge(level, heading.group(2).strip(), (above, below) -> above + " / " + below);
            isNewSession = true;
        } else if (current != null) {
            hasOtherHeadings |= heading.matches();
            paragraphs += !line.isBlank() && lines.get(at - 1).isBlank() ? 1 : 0;
            said.append('\n').append(line);
        }
    }

    private boolean isAboveATurn(int heading) {
        var next = heading + 1;
        while (next < lines.size()
                && (lines.get(next).isBlank()
                        || HEADING.matcher(lines.get(next)).matches())) {
            next++;
        }
        return next < lines.size() && Begin.of(lines.get(next)) != null;
    }

    private void end() {
        if (current != null && !said.toString().isBlank()) {
            var session = headings.isEmpty() ? TurnTime.day(current.time()) : String.join(" / ", headings.values());
            var turn = new Turn(current.speaker(), current.time(), session);
            turns.add(new SaidText(
                    turn, SpokenLines.plain(said.toString().strip().lines().toList()), "turn " + (turns.size() + 1)));
        }
        current = null;
        said.setLength(0);
    }

    /** What is written by models has headings and many paragraphs. Logs of changes begin with the latest. */
    private boolean isOne() {
        if (turns.size() < FEWEST
                || !Speakers.converse(turns)
                || turns.stream().anyMatch(ConversationText::isTitleLong)) {
            return false;
        }
        return turns.stream().allMatch(said -> Speakers.isRole(said.turn().speaker()))
                || !time(turns.getLast()).isBefore(time(turns.getFirst()))
                        && !hasOtherHeadings
                        && paragraphs <= (PARAGRAPHS - 1) * turns.size();
    }

    private static boolean isTitleLong(SaidText said) {
        return Objects.requireNonNull(said.turn().session()).length() > LONGEST_TITLE;
    }

    private static Instant time(SaidText said) {
        return Objects.requireNonNull(said.turn().time());
    }
}
