package io.agentworkspace.engine.model.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Schema;
import org.junit.jupiter.api.Test;

class ToolDescriptionTest {
    record In(@Doc("What to say.") String content) {}

    record Out(@Doc("What was said.") String said) {}

    @Test
    void isSpelledAsMcpSpellsIt() {
        var tool = Tool.named("AP_Echo")
                .title("Echo")
                .description("Says it again.")
                .needs(Capability.AGENT_READ)
                .effect(Effect.MOVES)
                .idempotent()
                .handledBy(In.class, Out.class, (in, _) -> new Out(in.content()));

        var described = ToolDescription.full(tool);

        assertThat(described.propertyNames())
                .containsExactly("name", "title", "description", "inputSchema", "outputSchema", "annotations");
        assertThat(described.at("/inputSchema/required/0").asString()).isEqualTo("content");
        assertThat(described.at("/outputSchema/required/0").asString()).isEqualTo("status");
        assertThat(Json.text(described.get("annotations"))).isEqualTo("""
                        {"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}""");
    }

    @Test
    void limitsAreTheInputsAndAnswersMayBeAsLongAsTheyAre() {
        var input = Schema.ofInput(In.class, false).json();
        var output = Schema.of(Out.class).json();

        assertThat(input.at("/properties/content/maxLength").asLong()).isEqualTo(1_000);
        assertThat(output.at("/properties/said").has("maxLength")).isFalse();
    }
}
