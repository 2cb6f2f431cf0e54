package io.agentworkspace.engine.kernel.text;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.ar.ArabicAnalyzer;
import org.apache.lucene.analysis.ca.CatalanAnalyzer;
import org.apache.lucene.analysis.da.DanishAnalyzer;
import org.apache.lucene.analysis.de.GermanAnalyzer;
import org.apache.lucene.analysis.el.GreekAnalyzer;
import org.apache.lucene.analysis.es.SpanishAnalyzer;
import org.apache.lucene.analysis.fi.FinnishAnalyzer;
import org.apache.lucene.analysis.fr.FrenchAnalyzer;
import org.apache.lucene.analysis.hi.HindiAnalyzer;
import org.apache.lucene.analysis.hu.HungarianAnalyzer;
import org.apache.lucene.analysis.hy.ArmenianAnalyzer;
import org.apache.lucene.analysis.id.IndonesianAnalyzer;
import org.apache.lucene.analysis.it.ItalianAnalyzer;
import org.apache.lucene.analysis.lt.LithuanianAnalyzer;
import org.apache.lucene.analysis.nl.DutchAnalyzer;
import org.apache.lucene.analysis.no.NorwegianAnalyzer;
import org.apache.lucene.analysis.pt.PortugueseAnalyzer;
import org.apache.lucene.analysis.ro.RomanianAnalyzer;
import org.apache.lucene.analysis.ru.RussianAnalyzer;
import org.apache.lucene.analysis.sv.SwedishAnalyzer;
import org.apache.lucene.analysis.tr.TurkishAnalyzer;

/**
 * The languages whose words are reduced to stems. The script of a text determines the candidates; among those, the
 * language with the most function words in the text wins. Texts in other languages are compared without stemming.
 */
public enum Language {
    ENGLISH("en", Character.UnicodeScript.LATIN, () -> WordList.ENGLISH),
    GERMAN("de", Character.UnicodeScript.LATIN, GermanAnalyzer::getDefaultStopSet),
    FRENCH("fr", Character.UnicodeScript.LATIN, FrenchAnalyzer::getDefaultStopSet),
    SPANISH("es", Character.UnicodeScript.LATIN, SpanishAnalyzer::getDefaultStopSet),
    PORTUGUESE("pt", Character.UnicodeScript.LATIN, PortugueseAnalyzer::getDefaultStopSet),
    ITALIAN("it", Character.UnicodeScript.LATIN, ItalianAnalyzer::getDefaultStopSet),
    DUTCH("nl", Character.UnicodeScript.LATIN, DutchAnalyzer::getDefaultStopSet),
    SWEDISH("sv", Character.UnicodeScript.LATIN, SwedishAnalyzer::getDefaultStopSet),
    DANISH("da", Character.UnicodeScript.LATIN, DanishAnalyzer::getDefaultStopSet),
    NORWEGIAN("no", Character.UnicodeScript.LATIN, NorwegianAnalyzer::getDefaultStopSet),
    FINNISH("fi", Character.UnicodeScript.LATIN, FinnishAnalyzer::getDefaultStopSet),
    HUNGARIAN("hu", Character.UnicodeScript.LATIN, HungarianAnalyzer::getDefaultStopSet),
    ROMANIAN("ro", Character.UnicodeScript.LATIN, RomanianAnalyzer::getDefaultStopSet),
    TURKISH("tr", Character.UnicodeScript.LATIN, TurkishAnalyzer::getDefaultStopSet),
    CATALAN("ca", Character.UnicodeScript.LATIN, CatalanAnalyzer::getDefaultStopSet),
    INDONESIAN("id", Character.UnicodeScript.LATIN, IndonesianAnalyzer::getDefaultStopSet),
    LITHUANIAN("lt", Character.UnicodeScript.LATIN, LithuanianAnalyzer::getDefaultStopSet),
    VIETNAMESE("vi", Character.UnicodeScript.LATIN, () -> WordList.VIETNAMESE),
    RUSSIAN("ru", Character.UnicodeScript.CYRILLIC, RussianAnalyzer::getDefaultStopSet),
    GREEK("el", Character.UnicodeScript.GREEK, GreekAnalyzer::getDefaultStopSet),
    ARABIC("ar", Character.UnicodeScript.ARABIC, ArabicAnalyzer::getDefaultStopSet),
    HINDI("hi", Character.UnicodeScript.DEVANAGARI, HindiAnalyzer::getDefaultStopSet),
    ARMENIAN("hy", Character.UnicodeScript.ARMENIAN, ArmenianAnalyzer::getDefaultStopSet),
    OTHER("xx", Character.UnicodeScript.COMMON, () -> CharArraySet.EMPTY_SET);

    /** The length of text that is examined. */
    private static final int LOOKED_AT = 500;

    private final String code;
    private final Character.UnicodeScript script;
    private final Supplier<CharArraySet> functionWords;

    /** Loaded on first use. */
    private static final class WordList {
        /** Includes the words that begin questions, which are rare in answers. */
        static final CharArraySet ENGLISH = new CharArraySet(
                List.of(
                        "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
                        "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how",
                        "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "she",
                        "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
                        "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where", "which",
                        "who", "whom", "whose", "why", "will", "with", "would", "you", "your"),
                true);

        static final CharArraySet VIETNAMESE = new CharArraySet(
                List.of(
                        "và", "của", "là", "có", "được", "cho", "trong", "các", "những", "với", "không", "một", "đã",
                        "này", "để", "khi", "người", "từ", "ở", "đến", "về", "theo", "gì", "nào", "bởi", "trên", "vào",
                        "ra", "như", "tại", "vì", "đó", "ai", "hoặc", "nhưng", "thì", "mà", "bao", "nhiêu", "sao"),
                true);

        /** The languages of each function word, one bit each. */
        static final Map<String, Long> LANGUAGES = new HashMap<>();

        static {
            for (var language : Language.values()) {
                for (var word : language.functionWords()) {
                    LANGUAGES.merge(new String((char[]) word), 1L << language.ordinal(), (one, other) -> one | other);
                }
            }
        }

        private WordList() {}
    }

    Language(String code, Character.UnicodeScript script, Supplier<CharArraySet> functionWords) {
        this.code = code;
        this.script = script;
        this.functionWords = functionWords;
    }

    public String code() {
        return code;
    }

    public static Language coded(String code) {
        for (var language : values()) {
            if (language.code.equals(code)) {
                return language;
            }
        }
        return OTHER;
    }

    /** Returns whether the model of embeddings knows its script. */
    public boolean isInScriptOfModel() {
        return script == Character.UnicodeScript.LATIN;
    }

    /** Returns words without a meaning of their own, in lower case. */
    public CharArraySet functionWords() {
        return functionWords.get();
    }

    /** Returns the probable language of most of the text; English if no other language of its script is more likely. */
    public static Language guess(CharSequence text) {
        var script = script(text);
        var candidates = java.util.Arrays.stream(values())
                .filter(language -> language.script == script)
                .toList();
        return switch (candidates.size()) {
            case 0 -> OTHER;
            case 1 -> candidates.getFirst();
            default -> mostFunctionWords(text, candidates);
        };
    }

    private static Character.UnicodeScript script(CharSequence text) {
        Map<Character.UnicodeScript, Integer> counts = new EnumMap<>(Character.UnicodeScript.class);
        for (var i = 0; i < Math.min(text.length(), LOOKED_AT); i++) {
            var character = text.charAt(i);
            if (Character.isLetter(character)) {
                counts.merge(Character.UnicodeScript.of(character), 1, Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(Character.UnicodeScript.LATIN);
    }

    /** Returns the candidate with the most function words; of equal ones the first in the order above. */
    private static Language mostFunctionWords(CharSequence text, List<Language> candidates) {
        var counts = new int[Long.SIZE];
        for (var word : TextAnalysis.words(text.subSequence(0, Math.min(text.length(), LOOKED_AT)))) {
            var languages = WordList.LANGUAGES.getOrDefault(word, 0L);
            for (var rest = languages; rest != 0; rest &= rest - 1) {
                counts[Long.numberOfTrailingZeros(rest)]++;
            }
        }
        var best = candidates.getFirst();
        for (var language : candidates) {
            if (counts[language.ordinal()] > counts[best.ordinal()]) {
                best = language;
            }
        }
        return best;
    }
}
