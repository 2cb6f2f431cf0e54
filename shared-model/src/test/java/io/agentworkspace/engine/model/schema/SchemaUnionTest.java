package io.agentworkspace.engine.model.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SchemaUnionTest {
    record First(@Doc("The service.") @Nullable String service) {}

    record Ship(
            @Doc("Its name.") Name name,
            @Doc("Where it lies.") @Nullable Name port) {}

    record Moor(
            @Doc("The ship.") Ship target,

            @Doc(
                    value = "How.",
                    oneOf = {"bow", "stern"})
            String mode,

            @Doc(value = "How long.", min = 1, max = 5) @Nullable
            Long hours) {}

    record Sail(
            @Doc("The ship.") Ship target,
            @Doc(value = "Where to.", max = 20) String mode,

            @Doc(value = "How long.", min = 2, max = 9) @Nullable
            Long hours) {}

    record Sink(@Doc("Whether.") boolean mode) {}

    private static Schema union(Class<? extends Record> second) {
        var inputs = new LinkedHashMap<String, Schema>();
        inputs.put("Moor", Schema.ofInput(Moor.class, true));
        inputs.put("Second", Schema.ofInput(second, true));
        return SchemaUnion.of("Request", Schema.ofInput(First.class, false), inputs);
    }

    @Test
    void itHasAllFieldsAndRequiresNone() {
        var json = union(Sail.class).typed();
        var fields = json.get("properties");
        assertThat(json.get("title").asString()).isEqualTo("Request");
        assertThat(fields.propertyNames()).containsExactly("service", "target", "mode", "hours", "idempotency_key");
        assertThat(json.toString()).doesNotContain("required");
        assertThat(fields.at("/target/properties").propertyNames()).containsExactly("name", "port");
        assertThat(fields.at("/mode").has("enum")).isFalse(); // One of them accepts anything.
        assertThat(fields.at("/hours/minimum").asLong()).isEqualTo(1);
        assertThat(fields.at("/hours/maximum").asLong()).isEqualTo(9);
        assertThat(fields.at("/hours/description").asString()).isEqualTo("How long.");
    }

    @Test
    void aFieldOfOneToolNamesIt() {
        var alone = SchemaUnion.of(
                "Request", Schema.ofInput(First.class, false), Map.of("Sail", Schema.ofInput(Sail.class, false)));
        assertThat(alone.json().at("/properties/hours/description").asString()).isEqualTo("Of Sail: How long.");
    }

    @Test
    void typesAreChecked() {
        var body = Json.readObject("{\"target\":{\"name\":5}}".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> union(Sail.class).checkTypes(body))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("target.name must be a string");
    }

    record Load(@Doc("What.") List<String> mode) {}

    @Test
    void aListForOneToolCanBeAFlagForAnother() {
        var inputs = new LinkedHashMap<String, Schema>();
        inputs.put("Sink", Schema.ofInput(Sink.class, true));
        inputs.put("Load", Schema.ofInput(Load.class, true));
        inputs.put("Unload", Schema.ofInput(Load.class, true));
        var union = SchemaUnion.of("Request", Schema.ofInput(First.class, false), inputs);
        assertThat(union.json().at("/properties/mode").has("type"))
                .as("any of them")
                .isFalse();
        union.checkTypes(Json.readObject("{\"mode\":true}".getBytes(StandardCharsets.UTF_8)));
        union.checkTypes(Json.readObject("{\"mode\":[\"a\"]}".getBytes(StandardCharsets.UTF_8)));
        var body = Json.readObject("{\"mode\":[1]}".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> union.checkTypes(body)).hasMessageContaining("mode[0] must be a string");
    }

    @Test
    void oneFieldHasOneJsonType() {
        assertThatThrownBy(() -> union(Sink.class)).hasMessageContaining("'mode'");
    }
}
