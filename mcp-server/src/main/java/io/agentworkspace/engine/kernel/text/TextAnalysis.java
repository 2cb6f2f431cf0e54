package io.agentworkspace.engine.kernel.text;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.ar.ArabicNormalizationFilter;
import org.apache.lucene.analysis.ar.ArabicStemFilter;
import org.apache.lucene.analysis.cjk.CJKBigramFilter;
import org.apache.lucene.analysis.cjk.CJKWidthFilter;
import org.apache.lucene.analysis.core.DecimalDigitFilter;
import org.apache.lucene.analysis.core.LowerCaseFilter;
import org.apache.lucene.analysis.de.GermanNormalizationFilter;
import org.apache.lucene.analysis.el.GreekLowerCaseFilter;
import org.apache.lucene.analysis.el.GreekStemFilter;
import org.apache.lucene.analysis.en.EnglishPossessiveFilter;
import org.apache.lucene.analysis.fr.FrenchLightStemFilter;
import org.apache.lucene.analysis.hi.HindiNormalizationFilter;
import org.apache.lucene.analysis.hi.HindiStemFilter;
import org.apache.lucene.analysis.in.IndicNormalizationFilter;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterGraphFilter;
import org.apache.lucene.analysis.snowball.SnowballFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;
import org.apache.lucene.analysis.tr.ApostropheFilter;
import org.apache.lucene.analysis.tr.TurkishLowerCaseFilter;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.ArmenianStemmer;
import org.tartarus.snowball.ext.CatalanStemmer;
import org.tartarus.snowball.ext.DanishStemmer;
import org.tartarus.snowball.ext.DutchStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FinnishStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.HungarianStemmer;
import org.tartarus.snowball.ext.IndonesianStemmer;
import org.tartarus.snowball.ext.ItalianStemmer;
import org.tartarus.snowball.ext.LithuanianStemmer;
import org.tartarus.snowball.ext.NorwegianStemmer;
import org.tartarus.snowball.ext.PortugueseStemmer;
import org.tartarus.snowball.ext.RomanianStemmer;
import org.tartarus.snowball.ext.RussianStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;
import org.tartarus.snowball.ext.SwedishStemmer;
import org.tartarus.snowball.ext.TurkishStemmer;

/**
 * Turns texts into terms: unchanged words for phrases, and stems for ranking. Both ignore case and accents. Scripts
 * without spaces between words are cut into pairs of characters.
 */
public final class TextAnalysis {
    /** Raise this when the terms of a text or the fields of a memory change: indexes of other versions are rebuilt. */
    public static final String VERSION = "5";

    private static final int LONGEST_WORD = 100;

    private static final int PARTS =
            WordDelimiterGraphFilter.GENERATE_WORD_PARTS | WordDelimiterGraphFilter.GENERATE_NUMBER_PARTS;

    /** Identifiers such as {@code getUserName} are found as a whole and by their parts. */
    private static final int PARTS_AND_WHOLE =
            PARTS | WordDelimiterGraphFilter.SPLIT_ON_CASE_CHANGE | WordDelimiterGraphFilter.PRESERVE_ORIGINAL;

    /** Names such as C++ and C#, whose signs tell them apart from others, also with the number of a version. */
    private static final Pattern SIGNED =
            Pattern.compile("(?<![\\p{L}\\p{N}])\\p{L}{1,2}([+\uFF0B]{2}|[#\u266F\uFF03])(?![\\p{L}+#\uFF0B\uFF03])");

    /** Letters that no text has, which stand for the signs: they keep the length of the word, and are part of it. */
    private static final String PLUS = "\u1429\u1429";

    private static final String SHARP = "\u1541";

    private TextAnalysis() {}

    private static String withSigns(String text) {
        return text.chars().noneMatch(c -> "+#\u266F\uFF0B\uFF03".indexOf(c) >= 0)
                ? text
                : SIGNED.matcher(text).replaceAll(found -> {
                    var name = found.group();
                    var sign = found.group(1);
                    return name.substring(0, name.length() - sign.length()) + (sign.length() == 2 ? PLUS : SHARP);
                });
    }

    /** A term, and its position in the text. */
    public record Term(String text, int start, int end) {}

    /** Returns the words of a text in lower case, for guessing its language. */
    static List<String> words(CharSequence text) {
        return read(new LowerCaseFilter(tokens(text.toString()))).stream()
                .map(Term::text)
                .toList();
    }

    /** Returns the unchanged words in order. */
    public static TokenStream exact(String text) {
        var words = new WordDelimiterGraphFilter(tokens(text), PARTS, null);
        return new FoldingFilter(new LowerCaseFilter(pairs(new CJKWidthFilter(words), false)));
    }

    /** Returns the stems. */
    public static TokenStream stems(Language language, String text) {
        var words = new IdentifierFilter(new WordDelimiterGraphFilter(tokens(text), PARTS_AND_WHOLE, null));
        var cut = new DecimalDigitFilter(pairs(new CJKWidthFilter(words), true));
        return new FoldingFilter(stemmed(language, cut));
    }

    public static List<Term> exactTerms(String text) {
        return read(exact(text));
    }

    static List<String> exactWords(String text) {
        return exactTerms(text).stream().map(Term::text).toList();
    }

    /** Returns what is compared to see whether two texts are nearly the same. */
    public static TextLikeness likeness(String text) {
        return TextLikeness.of(exactWords(text));
    }

    public static List<Term> stemTerms(Language language, String text) {
        return read(stems(language, text));
    }

    private static TokenStream tokens(String text) {
        var tokenizer = new StandardTokenizer();
        tokenizer.setMaxTokenLength(LONGEST_WORD);
        tokenizer.setReader(new StringReader(withSigns(text)));
        return tokenizer;
    }

    private static TokenStream pairs(TokenStream words, boolean singlesToo) {
        return new UnspacedFilter(new CJKBigramFilter(
                words,
                CJKBigramFilter.HAN | CJKBigramFilter.HIRAGANA | CJKBigramFilter.KATAKANA | CJKBigramFilter.HANGUL,
                singlesToo));
    }

    private static TokenStream stemmed(Language language, TokenStream words) {
        return switch (language) {
            case TURKISH -> snowball(new TurkishLowerCaseFilter(new ApostropheFilter(words)), new TurkishStemmer());
            case GREEK -> new GreekStemFilter(new GreekLowerCaseFilter(words));
            default -> stemmedLower(language, new LowerCaseFilter(words));
        };
    }

    private static TokenStream stemmedLower(Language language, TokenStream words) {
        return switch (language) {
            case ENGLISH -> snowball(new EnglishPossessiveFilter(words), new EnglishStemmer());
            case GERMAN -> snowball(new GermanNormalizationFilter(words), new GermanStemmer());
            case FRENCH -> new FrenchLightStemFilter(words);
            case SPANISH -> snowball(words, new SpanishStemmer());
            case PORTUGUESE -> snowball(words, new PortugueseStemmer());
            case ITALIAN -> snowball(words, new ItalianStemmer());
            case DUTCH -> snowball(words, new DutchStemmer());
            case SWEDISH -> snowball(words, new SwedishStemmer());
            case DANISH -> snowball(words, new DanishStemmer());
            case NORWEGIAN -> snowball(words, new NorwegianStemmer());
            case FINNISH -> snowball(words, new FinnishStemmer());
            case HUNGARIAN -> snowball(words, new HungarianStemmer());
            case ROMANIAN -> snowball(words, new RomanianStemmer());
            case CATALAN -> snowball(words, new CatalanStemmer());
            case INDONESIAN -> snowball(words, new IndonesianStemmer());
            case LITHUANIAN -> snowball(words, new LithuanianStemmer());
            case RUSSIAN -> snowball(words, new RussianStemmer());
            case ARMENIAN -> snowball(words, new ArmenianStemmer());
            case ARABIC -> new ArabicStemFilter(new ArabicNormalizationFilter(words));
            case HINDI -> new HindiStemFilter(new HindiNormalizationFilter(new IndicNormalizationFilter(words)));
            case VIETNAMESE, OTHER, TURKISH, GREEK -> words;
        };
    }

    private static TokenStream snowball(TokenStream words, SnowballStemmer stemmer) {
        return new SnowballFilter(words, stemmer);
    }

    private static List<Term> read(TokenStream stream) {
        var terms = new ArrayList<Term>();
        try (stream) {
            var term = stream.addAttribute(CharTermAttribute.class);
            var offsets = stream.addAttribute(OffsetAttribute.class);
            stream.reset();
            while (stream.incrementToken()) {
                terms.add(new Term(term.toString(), offsets.startOffset(), offsets.endOffset()));
            }
            stream.end();
            return terms;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
