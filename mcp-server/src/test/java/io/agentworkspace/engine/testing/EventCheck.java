package io.agentworkspace.engine.testing;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.agentworkspace.engine.model.event.EventType;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Holds events against the published schemas of their types, formats too, with a validator that is not ours. */
public final class EventCheck {
    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    private EventCheck() {}

    /** What is wrong about an event in its envelope. */
    public static List<String> faults(JsonNode event) {
        return faults(EventType.find(event.get("type").asString()).orElseThrow(), event.get("data"));
    }

    public static List<String> faults(EventType type, JsonNode data) {
        return SCHEMAS
                .getSchema(type.schema())
                .validate(
                        data.toString(),
                        InputFormat.JSON,
                        context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)))
                .stream()
                .map(error -> type.word() + ": " + error)
                .toList();
    }
}
