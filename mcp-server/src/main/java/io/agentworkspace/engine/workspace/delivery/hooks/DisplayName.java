package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.model.text.Excerpt;
import java.util.regex.Pattern;

/**
 * A name as it is in wake-ups and in the texts of hooks. A name that is not one plain word is in quotation marks: names
 * may have blanks and punctuation, so one can be a sentence, and must not read as an instruction.
 */
final class DisplayName {
    private static final Pattern PLAIN = Pattern.compile(
            "[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}._@+-]{0,39}(/[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}._@+-]{0,39})?");

    /** The most characters of a name that is quoted. */
    private static final int MOST = 80;

    /** What would end the quotation, a JSON text around it, or a tag around that. */
    private static final Pattern MARKS = Pattern.compile("[\"“”„‟\\\\`]");

    private DisplayName() {}

    static String of(String name) {
        if (PLAIN.matcher(name).matches()) {
            return name;
        }
        var text = MARKS.matcher(Excerpt.cut(name, MOST)).replaceAll("'");
        return "“%s”".formatted(text.replace('<', '‹').replace('>', '›').replaceAll("\\p{C}", " "));
    }
}
