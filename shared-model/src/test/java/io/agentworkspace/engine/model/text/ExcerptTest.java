package io.agentworkspace.engine.model.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExcerptTest {
    @Test
    void noCharacterIsCutInTwo() {
        var waves = "\ud83c\udf0a".repeat(4);

        assertThat(Excerpt.of(waves, 4)).isEqualTo(waves);
        assertThat(Excerpt.of(waves, 3)).isEqualTo("\ud83c\udf0a".repeat(3) + "…");
        assertThat(Excerpt.cut("a" + waves, 2)).isEqualTo("a\ud83c\udf0a");
        assertThat(Excerpt.cut("tide", 5)).isEqualTo("tide");
    }
}
