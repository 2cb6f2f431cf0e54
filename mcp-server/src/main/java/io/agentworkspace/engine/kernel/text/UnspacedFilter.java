package io.agentworkspace.engine.kernel.text;

import java.io.IOException;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;
import org.apache.lucene.analysis.tokenattributes.TypeAttribute;
import org.jspecify.annotations.Nullable;

/**
 * Cuts runs of Thai, Lao, Khmer and Burmese, which have no spaces between words, into overlapping pieces of three characters.
 */
final class UnspacedFilter extends TokenFilter {
    private static final String UNSPACED = StandardTokenizer.TOKEN_TYPES[StandardTokenizer.SOUTHEAST_ASIAN];
    private static final int PIECE = 3;

    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final OffsetAttribute offsets = addAttribute(OffsetAttribute.class);
    private final TypeAttribute type = addAttribute(TypeAttribute.class);

    /** The state of the run that is being cut; null between runs. */
    private @Nullable State run;

    private String letters = "";
    private int next;
    private int start;

    public UnspacedFilter(TokenStream input) {
        super(input);
    }

    @Override
    public boolean incrementToken() throws IOException {
        if (run == null) {
            if (!input.incrementToken()) {
                return false;
            }
            if (!UNSPACED.equals(type.type()) || term.length() <= PIECE) {
                return true;
            }
            run = captureState();
            letters = term.toString();
            start = offsets.startOffset();
            next = 0;
        }
        restoreState(run);
        term.setEmpty().append(letters, next, next + PIECE);
        offsets.setOffset(start + next, start + next + PIECE);
        next++;
        if (next + PIECE > letters.length()) {
            run = null;
        }
        return true;
    }

    @Override
    public void reset() throws IOException {
        super.reset();
        run = null;
    }
}
