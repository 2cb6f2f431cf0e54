package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a script in a browser told, a step at a time, in order. A step may be told several times, such as once for each width. */
public record Steps(List<ObjectNode> all) {
    /** Returns the reports of a step. */
    public List<JsonNode> of(String step) {
        return all.stream()
                .filter(each -> each.path("step").asString().equals(step))
                .map(JsonNode.class::cast)
                .toList();
    }

    /** Returns the report of a step that was told once. */
    public JsonNode only(String step) {
        assertThat(of(step)).as(step).hasSize(1);
        return of(step).getFirst();
    }

    /** Returns the report of a step at one width. */
    public JsonNode only(String step, int width) {
        var there = of(step).stream()
                .filter(each -> each.path("width").asInt() == width)
                .toList();
        assertThat(there).as("%s at %d", step, width).hasSize(1);
        return there.getFirst();
    }

    public static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asString).toList();
    }
}
