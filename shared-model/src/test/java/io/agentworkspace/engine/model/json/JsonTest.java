package io.agentworkspace.engine.model.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {"a":1              | it ends before it is complete
            {"a":"x             | it ends before it is complete
            ["a",               | it ends before it is complete
            {"a":tru}           | 'tru' is not a JSON value
            {'a':1}             | the character ''' cannot stand there
            {"a":1,}            | the character '}' cannot stand there
            {"a":1} {"b":2}     | something follows after the JSON value
            {"a":"\\x"}         | is not an escape that JSON has
            {"a":01}            | cannot be parsed
            """)
    void whatIsWrongIsToldInOurOwnWords(String body, String note) {
        assertThatThrownBy(() -> Json.read(body.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(Problem.class)
                .hasMessageContaining(note)
                .hasMessageNotContainingAny("Source", "REDACTED", "offset", "token", "code ", "JsonToken", "REPORT");
    }

    @Test
    void limitsAreTold() {
        for (var body : new String[] {
            "[".repeat(70), "{\"" + "n".repeat(60_000) + "\":1}", "[" + "1".repeat(200) + "]", "[\"a\nb\"]"
        }) {
            assertThatThrownBy(() -> Json.read(body.getBytes(StandardCharsets.UTF_8)))
                    .hasMessageContaining(
                            body.startsWith("[[")
                                    ? "more than 64 levels"
                                    : body.startsWith("{")
                                            ? "1,000 characters"
                                            : body.contains("a") ? "escaped" : "100 digits");
        }
    }

    @Test
    void aTreeOfTooManyValuesIsNotBuilt() {
        var fits = "[" + "{},".repeat(20_000) + "1]";
        assertThat(Json.read(fits.getBytes(StandardCharsets.UTF_8)).size()).isEqualTo(20_001);
        var body = "[" + "{},".repeat(30_000) + "1]";
        assertThatThrownBy(() -> Json.read(body.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("more than 50,000 values and names");
    }
}
