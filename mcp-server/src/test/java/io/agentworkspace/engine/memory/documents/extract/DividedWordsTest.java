package io.agentworkspace.engine.memory.documents.extract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DividedWordsTest {
    @Test
    void aCompoundThatIsElsewhereKeepsItsHyphen() {
        var words = new DividedWords(List.of("a well-known-fact, and a co-worker"));
        assertThat(words.joined("a well-", "known thing")).isEqualTo("a well-known thing");
        assertThat(words.joined("the co-", "worker")).isEqualTo("the co-worker");
        assertThat(words.joined("the co-", "work")).isEqualTo("the cowork");
        assertThat(words.joined("recon-", "ciliation")).isEqualTo("reconciliation");
    }

    /** Each of these overflowed the stack, or took time that grew with the square of the length. */
    @Test
    void longLinesAndManyCompoundsAreRead() {
        var compounds = IntStream.range(0, 100_000)
                .mapToObj(i -> "x" + Integer.toString(i, 26).replaceAll("\\d", "z") + "-y")
                .toList();
        var words = new DividedWords(compounds);
        assertThat(compounds)
                .allSatisfy(line -> assertThat(words.joined("q-", line)).isEqualTo("q-" + line));
        assertThat(new DividedWords(List.of("a".repeat(1_000_000))).joined("recon-", "ciliation"))
                .isEqualTo("reconciliation");
        assertThat(new DividedWords(List.of("ab-".repeat(500_000) + "c")).joined("ab-", "ab"))
                .isEqualTo("ab-ab");
    }
}
