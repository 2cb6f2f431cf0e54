package io.agentworkspace.engine.testing;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.agentworkspace.engine.model.event.EventType;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Validates events against the published schemas of their types, including formats, with a third-party validator. */
public final class EventCheck {
    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    private EventCheck() {}

    /** Returns what is wrong with an event in its envelope. */
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
