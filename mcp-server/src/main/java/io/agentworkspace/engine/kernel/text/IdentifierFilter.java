package io.agentworkspace.engine.kernel.text;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;

/**
 * Adds the parts of identifiers that a change of case does not show: {@code HTTPSConnection} contains the word HTTPS, and
 * {@code ADR0005} the word ADR. Numbers lose their leading zeros.
 */
final class IdentifierFilter extends TokenFilter {
    private static final Pattern PARTS = Pattern.compile("(?<=\\p{Lu})(?=\\p{Lu}\\p{Ll})|(?<=\\p{Lu}{2})(?=\\d)");

    /** What the filter before this one divides follows in parts. */
    private static final Pattern DIVIDED = Pattern.compile("[^\\p{L}\\d]|(?<=\\p{Ll})(?=\\p{Lu})");

    private static final Pattern ZEROS = Pattern.compile("^0+(?=\\d+$)");

    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final OffsetAttribute offset = addAttribute(OffsetAttribute.class);
    private final PositionIncrementAttribute increment = addAttribute(PositionIncrementAttribute.class);
    private final ArrayDeque<Part> waiting = new ArrayDeque<>();

    private record Part(String text, int start, int end) {}

    public IdentifierFilter(TokenStream input) {
        super(input);
    }

    @Override
    public boolean incrementToken() throws IOException {
        var part = waiting.poll();
        if (part != null) {
            term.setEmpty().append(withoutZeros(part.text()));
            offset.setOffset(part.start(), part.end());
            increment.setPositionIncrement(0);
            return true;
        }
        if (!input.incrementToken()) {
            return false;
        }
        var text = term.toString();
        split(text);
        term.setEmpty().append(withoutZeros(text));
        return true;
    }

    private void split(String text) {
        var parts = PARTS.split(text);
        // Where a token was changed before, its offsets do not belong to its characters.
        if (parts.length == 1
                || DIVIDED.matcher(text).find()
                || offset.endOffset() - offset.startOffset() != text.length()) {
            return;
        }
        var at = offset.startOffset();
        for (var each : parts) {
            waiting.add(new Part(each, at, at + each.length()));
            at += each.length();
        }
    }

    private static String withoutZeros(String text) {
        return ZEROS.matcher(text).replaceFirst("");
    }

    @Override
    public void reset() throws IOException {
        super.reset();
        waiting.clear();
    }
}
