package io.agentworkspace.engine.model.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class SchemaTest {
    record In(
            @Doc(value = "A thousand at most.", max = 1_000) @Nullable
            Integer thousand,

            @Doc("As great as you like.") @Nullable Long free,
            @Doc(value = "Two at most.", max = 2) @Nullable List<String> two,
            @Doc("Some words.") @Nullable String words,
            @Doc("Some items.") @Nullable List<String> items) {}

    private static final Schema SCHEMA = Schema.ofInput(In.class, false);

    @Test
    void aDeclaredMaximumOfAThousandIsPublishedAndEnforced() {
        assertThat(SCHEMA.json().at("/properties/thousand/maximum").asLong()).isEqualTo(1_000);
        assertThat(SCHEMA.json().at("/properties/free").has("maximum")).isFalse();
        assertThatCode(() -> SCHEMA.read(Json.object().put("thousand", 1_000), true))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> SCHEMA.read(Json.object().put("thousand", 1_001), true))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("between 0 and 1000");
        assertThatCode(() -> SCHEMA.read(Json.object().put("free", Long.MAX_VALUE), true))
                .doesNotThrowAnyException();
    }

    @Test
    void textsAndListsWithoutADeclaredMaximumKeepAThousand() {
        assertThat(SCHEMA.json().at("/properties/words/maxLength").asLong()).isEqualTo(1_000);
        refuse("words", Json.valueTree("a".repeat(1_001)), "1,001 characters; at most 1,000");
        refuse("items", Json.valueTree(Collections.nCopies(1_001, "a")), "1,001 items; at most 1,000");
        refuse("two", Json.valueTree(List.of("a", "b", "c")), "3 items; at most 2");
    }

    private static void refuse(String field, JsonNode value, String why) {
        var input = Json.object();
        input.set(field, value);
        assertThatThrownBy(() -> SCHEMA.read(input, true))
                .isInstanceOf(Problem.class)
                .hasMessageContaining(why);
    }
}
