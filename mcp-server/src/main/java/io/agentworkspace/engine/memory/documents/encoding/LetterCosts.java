package io.agentworkspace.engine.memory.documents.encoding;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** What each character of a text costs in a language: the negative logarithm of its probability. */
final class LetterCosts {
    private static final double ASCII = 2.5;
    private static final double MARK = 5;
    private static final double OTHER_IDEOGRAPH = 9;
    private static final double ODD = 13;
    private static final double BROKEN = 6;
    private static final String MARKS = "’‘“”„–—…«»€°§·•×、。，：；！？「」『』《》（）・〜～　\u00A0¿¡£©®™½²³´ªº";

    private final Map<Integer, Double> costs = new HashMap<>();
    private final boolean hasIdeographs;
    private final boolean isLatin;

    LetterCosts(String letters) {
        var all = letters.codePoints().distinct().toArray();
        var total = 0.0;
        for (var i = 0; i < all.length; i++) {
            total += 1.0 / (i + 3);
        }
        for (var i = 0; i < all.length; i++) {
            costs.put(all[i], Math.log(total * (i + 3)));
        }
        isLatin = Character.UnicodeScript.of(all[0]) == Character.UnicodeScript.LATIN;
        hasIdeographs = Arrays.stream(all).anyMatch(Character::isIdeographic)
                || Character.UnicodeScript.of(all[0]) == Character.UnicodeScript.HANGUL;
    }

    /** Returns the cost of a text without its ASCII characters, which say nothing. */
    static double beyondAscii(String text, double cost) {
        return cost - ASCII * text.chars().filter(c -> c < 0x80).count();
    }

    double of(String text) {
        var sum = 0.0;
        var before = ' ';
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            var after = i + 1 < text.length() ? text.charAt(i + 1) : ' ';
            sum += c < 0x80 ? ascii(c) : of(before, c, after);
            if (isLetter(c) && isLetter(before)) {
                sum += joint(text, i, before, c);
            }
            before = c;
        }
        return sum;
    }

    private static double ascii(char c) {
        return c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' ? ODD : ASCII;
    }

    private double of(char before, char c, char after) {
        var lower = (int) Character.toLowerCase(c);
        var letter = costs.get(costs.containsKey(lower) ? lower : (int) c); // İ has i, which is in no list.
        if (letter != null) {
            return letter
                    + (Character.isUpperCase(c) && !Character.isUpperCase(before) ? 1 : 0)
                    + (c == 'ς' && isLetter(after) ? BROKEN : 0);
        } else if (MARKS.indexOf(c) >= 0) {
            return MARK + (isLetter(before) && isLetter(after) && c != '’' && !hasIdeographs ? BROKEN : 0);
        } else if (!hasIdeographs) {
            return ODD;
        }
        return Character.isIdeographic(c) && !isRare(c) || c >= 0xAC00 && c <= 0xD7A3
                ? OTHER_IDEOGRAPH
                : c >= 0xFF01 && c <= 0xFF5E ? MARK + 3 : ODD;
    }

    /** Returns whether it is an ideograph beyond the main block, which texts hardly have. */
    private static boolean isRare(char c) {
        return c < 0x4E00 || c > 0x9FA5;
    }

    /** What two letters side by side cost: a capital within a word, an ideograph within a Latin one, or letters of two scripts. */
    private double joint(String text, int at, char before, char c) {
        if (before < 0x80 && c < 0x80) {
            return 0;
        } else if (hasIdeographs) {
            var after = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
            return Character.isLowerCase(before) && Character.isLowerCase(after) ? BROKEN : 0;
        }
        var isMixed = !isLatin && (before < 0x80 || c < 0x80);
        var isCapital = Character.isUpperCase(c) && Character.isLowerCase(before);
        var isLost = Character.isLowerCase(c)
                && Character.isUpperCase(before)
                && at >= 2
                && Character.isUpperCase(text.charAt(at - 2));
        return (isMixed ? BROKEN : 0) + (isCapital || isLost ? BROKEN : 0);
    }

    private static boolean isLetter(char c) {
        return Character.isLetter(c);
    }
}
