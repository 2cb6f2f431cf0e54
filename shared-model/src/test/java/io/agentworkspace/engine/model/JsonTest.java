package io.agentworkspace.engine.model;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void aFieldThatComesTwiceIsToldInPlainWords() {
        for (var body : new String[] {"{\"name\":1,\"name\":2}", "{\"a\":[{\"name\":1,\"name\":2}]}"}) {
            assertThatThrownBy(() -> Json.read(body.getBytes(StandardCharsets.UTF_8)))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("the field 'name' comes twice")
                    .hasMessageNotContaining("Duplicate");
        }
    }
}
