package io.agentworkspace.engine.memory.embedding;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Cuts a text into the tokens of an uncased BERT model: normalised words, each into the longest pieces that the vocabulary
 * has. The same as the tokenizer that the models were trained with.
 */
public final class WordPiece {
    public static final int BEGIN = 101;
    public static final int END = 102;
    private static final int UNKNOWN = 100;
    private static final int LONGEST_WORD = 100;
    private static final String INSIDE = "##";

    private final Map<String, Integer> vocabulary;

    private WordPiece(Map<String, Integer> vocabulary) {
        this.vocabulary = vocabulary;
    }

    private record Description(Model model) {}

    private record Model(Map<String, Integer> vocab) {}

    /** @param json the published description of the tokenizer, with its vocabulary */
    public static WordPiece of(byte[] json) {
        var description = Json.readValue(new String(json, StandardCharsets.UTF_8), Description.class);
        return new WordPiece(Map.copyOf(description.model().vocab()));
    }

    int size() {
        return vocabulary.size();
    }

    /** The tokens of a text, without those that begin and end it for the model. */
    public List<Integer> tokens(String text) {
        var tokens = new ArrayList<Integer>();
        for (var word : words(normalized(text))) {
            pieces(word, tokens);
        }
        return tokens;
    }

    /** Without control characters, accents and case; Chinese characters are words of their own. */
    private static String normalized(String text) {
        var clean = new StringBuilder(text.length());
        text.codePoints().forEach(character -> {
            if (isSpace(character)) {
                clean.append(' ');
            } else if (isChinese(character)) {
                clean.append(' ').appendCodePoint(character).append(' ');
            } else if (character != 0xFFFD && !isControl(character)) {
                clean.appendCodePoint(character);
            }
        });
        var plain = new StringBuilder(clean.length());
        Normalizer.normalize(clean, Normalizer.Form.NFD)
                .codePoints()
                .filter(character -> Character.getType(character) != Character.NON_SPACING_MARK)
                .forEach(plain::appendCodePoint);
        return plain.toString().toLowerCase(Locale.ROOT);
    }

    private static List<String> words(String text) {
        var words = new ArrayList<String>();
        var word = new StringBuilder();
        text.codePoints().forEach(character -> {
            var isMark = isPunctuation(character);
            if ((isMark || character == ' ') && !word.isEmpty()) {
                words.add(word.toString());
                word.setLength(0);
            }
            if (isMark) {
                words.add(Character.toString(character));
            } else if (character != ' ') {
                word.appendCodePoint(character);
            }
        });
        if (!word.isEmpty()) {
            words.add(word.toString());
        }
        return words;
    }

    /** The longest piece that the vocabulary has, again and again; a word with a remainder is unknown as a whole. */
    private void pieces(String word, List<Integer> tokens) {
        var before = tokens.size();
        var start = 0;
        var isShort = word.codePointCount(0, word.length()) <= LONGEST_WORD;
        while (isShort && start < word.length()) {
            var end = word.length();
            Integer piece = null;
            while (end > start && piece == null) {
                piece = vocabulary.get((start == 0 ? "" : INSIDE) + word.substring(start, end));
                end = piece == null ? word.offsetByCodePoints(end, -1) : end;
            }
            if (piece == null) {
                break;
            }
            tokens.add(piece);
            start = end;
        }
        if (start < word.length()) {
            tokens.subList(before, tokens.size()).clear();
            tokens.add(UNKNOWN);
        }
    }

    private static boolean isSpace(int character) {
        return character == '\t'
                || character == '\n'
                || character == '\r'
                || Character.isSpaceChar(character)
                || (character >= 0x0B && character <= 0x0C)
                || character == 0x85;
    }

    private static boolean isControl(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> true;
            default -> false;
        };
    }

    private static boolean isPunctuation(int character) {
        return switch (Character.getType(character)) {
            case Character.CONNECTOR_PUNCTUATION,
                    Character.DASH_PUNCTUATION,
                    Character.START_PUNCTUATION,
                    Character.END_PUNCTUATION,
                    Character.INITIAL_QUOTE_PUNCTUATION,
                    Character.FINAL_QUOTE_PUNCTUATION,
                    Character.OTHER_PUNCTUATION -> true;
            default -> "$+<=>^`|~".indexOf(character) >= 0;
        };
    }

    private static boolean isChinese(int character) {
        return (character >= 0x4E00 && character <= 0x9FFF)
                || (character >= 0x3400 && character <= 0x4DBF)
                || (character >= 0x20000 && character <= 0x2A6DF)
                || (character >= 0x2A700 && character <= 0x2B73F)
                || (character >= 0x2B740 && character <= 0x2B81F)
                || (character >= 0x2B820 && character <= 0x2CEAF)
                || (character >= 0xF900 && character <= 0xFAFF)
                || (character >= 0x2F800 && character <= 0x2FA1F);
    }
}
