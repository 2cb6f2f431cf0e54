package io.agentworkspace.engine.model.problem;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearTest {
    @Test
    void twoLettersThatHaveChangedPlacesAreNear() {
        assertThat(Near.nearest("Aad", List.of("Ada", "Bob"), 3)).containsExactly("Ada");
        assertThat(Near.nearest("ob", List.of("bo", "xy"), 3)).containsExactly("bo");
        assertThat(Near.nearest("cab", List.of("abc"), 3)).isEmpty();
    }

    @Test
    void ofALongNameTheBeginningIsCompared() {
        var longest = "n".repeat(Name.MAX - 1) + "b";
        assertThat(longest).hasSize(Name.MAX);
        assertThat(Near.nearest(longest.replace("b", "d") + "z".repeat(1_000_000), List.of("other", longest), 1))
                .containsExactly(longest);
        assertThat(Near.nearest("z".repeat(1_000_000), List.of("other", longest), 1))
                .isEmpty();
    }
}
