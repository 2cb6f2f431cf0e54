package io.agentworkspace.engine.kernel.text;

import java.io.IOException;
import java.text.Normalizer;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/** Removes accents from Latin, Greek and Cyrillic letters. In other scripts, marks are parts of words and stay. */
final class FoldingFilter extends TokenFilter {
    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);

    public FoldingFilter(TokenStream input) {
        super(new ASCIIFoldingFilter(input));
    }

    @Override
    public boolean incrementToken() throws IOException {
        if (!input.incrementToken()) {
            return false;
        }
        if (isAccented()) {
            var plain = new StringBuilder();
            Normalizer.normalize(term, Normalizer.Form.NFD)
                    .codePoints()
                    .filter(character -> Character.getType(character) != Character.NON_SPACING_MARK)
                    .forEach(plain::appendCodePoint);
            term.setEmpty().append(plain);
        }
        return true;
    }

    private boolean isAccented() {
        var accented = false;
        for (var i = 0; i < term.length(); i++) {
            var character = term.charAt(i);
            if (character >= 0x530 && (character < 0x1E00 || character > 0x20D0)) {
                return false;
            }
            accented |= character > 0x7F;
        }
        return accented;
    }
}
