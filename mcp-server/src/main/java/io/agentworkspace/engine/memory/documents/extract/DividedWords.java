package io.agentworkspace.engine.memory.documents.extract;

import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Joins the lines of a paragraph. A word that is divided at the end of a line becomes whole: {@code recon-} and
 * {@code ciliation}. The hyphen stays if the same compound is within a line elsewhere, after the first parts of usual
 * compounds and single letters, and before a capital or a digit.
 */
final class DividedWords {
    private static final Pattern COMPOUND = Pattern.compile("(?<!\\p{L})\\p{L}++(?:[-\u2010]\\p{L}++)++");
    private static final Pattern FIRST = Pattern.compile("(?:.*\\P{L})?(\\p{L}+)[-\u2010]", Pattern.DOTALL);
    private static final Pattern SECOND = Pattern.compile("(\\p{L}+).*", Pattern.DOTALL);
    private static final Pattern KEPT =
            Pattern.compile("\\p{L}|self|well|ill|ex|half|all|non", Pattern.CASE_INSENSITIVE);

    /** Words before which a hyphen stands for a part that is left out, as in {@code Vor- und Nachteile}. */
    private static final Set<String> AND =
            Set.of("und", "oder", "bis", "sowie", "and", "or", "to", "et", "ou", "y", "o", "e", "en", "of");

    private final NavigableSet<String> compounds = new TreeSet<>();

    DividedWords(List<String> lines) {
        for (var line : lines) {
            var found = COMPOUND.matcher(line);
            while (found.find()) {
                compounds.add(key(found.group()));
            }
        }
    }

    private static String key(String compound) {
        return compound.replace('\u2010', '-').toLowerCase(Locale.ROOT);
    }

    /** Returns whether the second line continues a word of the first, so that no paragraph ends between them. */
    boolean continues(String line, String next) {
        return line.endsWith("\u00AD") || !joined(line, next).contains(line + " ");
    }

    String joined(String line, String next) {
        if (line.endsWith("\u00AD")) { // A soft hyphen.
            return line.substring(0, line.length() - 1) + next;
        }
        var first = FIRST.matcher(line);
        var second = SECOND.matcher(next);
        if (!first.matches() || !second.matches() && !startsWithDigit(next)) {
            return line + " " + next;
        } else if (startsWithDigit(next)) {
            return line + next;
        }
        var word = second.group(1);
        if (AND.contains(word) && !next.startsWith(word + "-")) {
            return line + " " + next;
        }
        var isKept = Character.isUpperCase(word.charAt(0))
                || KEPT.matcher(first.group(1)).matches()
                || isCompound(key(first.group(1) + "-" + word));
        return (isKept ? line : line.substring(0, line.length() - 1)) + next;
    }

    private boolean isCompound(String beginning) {
        var longer = compounds.ceiling(beginning + "-");
        return compounds.contains(beginning) || longer != null && longer.startsWith(beginning + "-");
    }

    private static boolean startsWithDigit(String text) {
        return !text.isEmpty() && Character.isDigit(text.charAt(0));
    }
}
