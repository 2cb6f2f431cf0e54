package io.agentworkspace.engine.model.answer;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import tools.jackson.databind.JsonNode;

/**
 * A recorded response of the service. The tests send each example, record the response in this module's resources,
 * and compare later responses with it. A file is read only when it is needed.
 */
public final class KeptAnswer {
    private KeptAnswer() {}

    /** Returns the response to the tool's example on its REST route. */
    public static JsonNode of(Tool<?, ?> tool) {
        return read("tools/" + tool.name());
    }

    /** Returns the response of a route that runs no tool, by its operationId. */
    public static JsonNode ofOperation(String id) {
        return read("operations/" + id);
    }

    /** Returns the response to a refused request: {@code problem-404}, {@code command-400}. */
    public static JsonNode ofRefusal(String name) {
        return read("refusals/" + name);
    }

    /**
     * Reads a recorded response; an empty object if there is none. In that case OpenApiExamplesTest fails and reports
     * what to do.
     */
    private static JsonNode read(String name) {
        try (var file = KeptAnswer.class.getResourceAsStream("/answers/%s.json".formatted(name))) {
            return file == null ? Json.object() : Json.read(file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
