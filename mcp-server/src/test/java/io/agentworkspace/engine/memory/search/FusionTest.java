package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.search.Fusion.Ranked;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When words decide about the order, and when meaning does. */
class FusionTest {
    private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");

    private static Ranked<String> found(String name, double coverage, double breadth, int vectorRank, double likeness) {
        return new Ranked<>(name, coverage, breadth, vectorRank, likeness, NOW, false);
    }

    private static String first(double meaning, List<Ranked<String>> found) {
        return Fusion.ordered(found, meaning, NOW).getFirst();
    }

    @Test
    void moreOfTheWordsComeBeforeARareOneThatIsRepeated() {
        var found = List.of(found("repeats", 0.8, 0.3, 0, -1), found("has more", 0.65, 0.65, 0, -1));
        assertThat(first(0, found)).isEqualTo("has more");
        assertThat(first(Fusion.ENGLISH, found)).isEqualTo("has more");
    }

    @Test
    void whatStandsOutByItsMeaningComesFirst() {
        var found = List.of(found("words", 0.5, 0.5, 2, 0.2), found("meaning", 0, 0, 1, 0.8));
        assertThat(first(Fusion.ENGLISH, found)).isEqualTo("meaning");
        assertThat(first(Fusion.OTHER, found)).isEqualTo("meaning");
        assertThat(first(0, found)).isEqualTo("words");
    }

    @Test
    void whereAllAreAboutEquallyNearWordsDecide() {
        var found = new ArrayList<Ranked<String>>();
        for (var rank = 1; rank < 18; rank++) {
            found.add(found("turn " + rank, 0, 0, rank, 0.62 - 0.001 * rank));
        }
        found.add(found("words", 0.5, 0.5, 18, 0.6));
        assertThat(first(Fusion.ENGLISH, found)).isEqualTo("words");
    }

    @Test
    void theOnlyOneByMeaningDoesNotStandOut() {
        var found = List.of(found("meaning", 0, 0, 1, 0.4), found("words", 0.5, 0.5, 0, -1));
        assertThat(first(Fusion.ENGLISH, found)).isEqualTo("words");
    }
}
