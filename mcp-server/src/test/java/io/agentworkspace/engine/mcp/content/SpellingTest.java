package io.agentworkspace.engine.mcp.content;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.search.Spelling;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What counts as the beginning or a misspelling of a known word. */
class SpellingTest {
    private static final Map<String, Integer> KNOWN =
            Map.of("roster", 4, "message", 9, "massage", 1, "idempotency", 3, "zone", 5, "bank", 7);

    @ParameterizedTest
    @CsvSource({"ros, roster", "mesage, message", "messgae, message", "idempotensi, idempotency", "zoen, zone"})
    void aBegunOrMisspelledWordIsFound(String word, String meant) {
        assertThat(Spelling.nearest(word, KNOWN)).contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"x", "zon9e8", "tank", "xyzzy"})
    void otherWordsAreLeftAlone(String word) {
        assertThat(Spelling.nearest(word, KNOWN)).isEmpty();
    }

    @Test
    void ofSeveralTheMostFrequentIsMeant() {
        assertThat(Spelling.nearest("m", KNOWN)).isEmpty();
        assertThat(Spelling.nearest("me", Map.of("memory", 2, "message", 9))).contains("message");
    }
}
