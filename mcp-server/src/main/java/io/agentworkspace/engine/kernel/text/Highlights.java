package io.agentworkspace.engine.kernel.text;

import java.util.BitSet;
import java.util.List;

/**
 * The positions of a query's words in a text, and the part of the text with most of them.
 *
 * @param words the words of the query that the text contains
 * @param found which words of the query they are
 * @param corrected which words of the query it has in another spelling only
 * @param spans their positions, in UTF-16 units of the text
 */
public record Highlights(List<String> words, BitSet found, BitSet corrected, List<Span> spans) {
    private static final int MOST_SPANS = 20;

    public record Span(int start, int end, double weight) {}

    /** A part of a text, and its highlights as pairs of code points. */
    public record MarkedExcerpt(String text, boolean isWhole, List<List<Integer>> highlights) {}

    /** Returns the text if it has at most this many characters, else this many around the words with the most weight. */
    public MarkedExcerpt part(String text, int room) {
        if (text.length() <= room) {
            return new MarkedExcerpt(text, true, inPart(text, 0, text.length()));
        }
        var best = bestStart(room);
        var start = Math.max(0, Math.min(best, text.length() - room));
        while (start > 0 && !Character.isWhitespace(text.charAt(start - 1)) && start > best - room / 4) {
            start--;
        }
        if (start > 0 && Character.isLowSurrogate(text.charAt(start))) {
            start--;
        }
        var end = Math.min(text.length(), start + room);
        if (end < text.length() && Character.isLowSurrogate(text.charAt(end))) {
            end--;
        }
        return new MarkedExcerpt(text.substring(start, end), false, inPart(text, start, end));
    }

    /** Returns the start, a little before the first word of the best group. */
    private int bestStart(int room) {
        var best = 0;
        var most = -1.0;
        var sum = 0.0;
        var from = 0;
        for (var span : spans) {
            sum += span.weight();
            while (span.end() - spans.get(from).start() > room * 3 / 4) {
                sum -= spans.get(from++).weight();
                if (from >= spans.size()) {
                    return best;
                }
            }
            if (sum > most) {
                most = sum;
                best = spans.get(from).start();
            }
        }
        return best - room / 8;
    }

    private List<List<Integer>> inPart(String text, int start, int end) {
        return spans.stream()
                .filter(span -> span.start() >= start && span.end() <= end)
                .limit(MOST_SPANS)
                .map(span -> List.of(text.codePointCount(start, span.start()), text.codePointCount(start, span.end())))
                .toList();
    }
}
