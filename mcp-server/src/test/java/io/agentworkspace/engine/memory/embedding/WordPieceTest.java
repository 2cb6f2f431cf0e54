package io.agentworkspace.engine.memory.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The tokens of a text, compared with those that the documents of the models publish for the vocabulary of uncased BERT. */
class WordPieceTest {
    private static final WordPiece TOKENIZER = tokenizer();

    private static WordPiece tokenizer() {
        try (var in = WordPieceTest.class.getResourceAsStream("/all-minilm-l6-v2-q-tokenizer.json")) {
            return WordPiece.of(in.readAllBytes());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void becomes(String text, Integer... tokens) {
        assertThat(TOKENIZER.tokens(text)).containsExactly(tokens);
    }

    @Test
    void theVocabularyIsWhole() {
        assertThat(TOKENIZER.size()).isEqualTo(30_522);
    }

    @Test
    void sentencesBecomeThePublishedTokens() {
        becomes("Hello, my dog is cute", 7592, 1010, 2026, 3899, 2003, 10140);
        becomes(
                "I've been waiting for a HuggingFace course my whole life.",
                1045,
                1005,
                2310,
                2042,
                3403,
                2005,
                1037,
                17662,
                12172,
                2607,
                2026,
                2878,
                2166,
                1012);
        becomes("I hate this so much!", 1045, 5223, 2023, 2061, 2172, 999);
        becomes("Who was Jim Henson ?", 2040, 2001, 3958, 27227, 1029);
        becomes("Jim Henson was a puppeteer", 3958, 27227, 2001, 1037, 13997, 11510);
        becomes("Replace me by any text you'd like.", 5672, 2033, 2011, 2151, 3793, 2017, 1005, 1040, 2066, 1012);
    }

    @Test
    void accentsCaseAndControlCharactersDoNotMatter() {
        becomes("H\u00e9LLO", 7592);
        becomes("he\u200bl\u0000lo", 7592);
        becomes(" \t\n\u00a0hello\r", 7592);
    }

    @Test
    void punctuationAndChineseCharactersStandAlone() {
        assertThat(TOKENIZER.tokens("a-b")).hasSize(3);
        assertThat(TOKENIZER.tokens("\u4e2d\u56fd"))
                .isEqualTo(TOKENIZER.tokens("\u4e2d \u56fd"))
                .hasSize(2);
    }

    @Test
    void whatHasNoPiecesIsUnknownAsAWhole() {
        becomes("\ud83d\ude00", 100);
        becomes("x".repeat(101), 100);
        becomes("");
    }

    @Test
    void longTextsAreCutIntoPartsOfLikeLengthThatOverlap() {
        var tokens = IntStream.range(0, 300).boxed().toList();
        var parts = Parts.of(tokens, 128);
        assertThat(parts).hasSize(3).allMatch(part -> part.size() > 100 && part.size() <= 128);
        assertThat(parts.getFirst().getFirst()).isZero();
        assertThat(parts.getLast().getLast()).isEqualTo(299);
        assertThat(parts.get(1))
                .containsAll(parts.get(0)
                        .subList(parts.get(0).size() - 16, parts.get(0).size()));
        assertThat(Parts.of(tokens.subList(0, 128), 128)).hasSize(1);
        assertThat(Parts.of(List.of(), 128)).hasSize(1);
    }
}
