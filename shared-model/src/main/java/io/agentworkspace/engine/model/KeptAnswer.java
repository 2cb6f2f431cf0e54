package io.agentworkspace.engine.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import tools.jackson.databind.JsonNode;

/**
 * What the service really answered to an example: the tests play it, keep the answer among the resources of this module, and hold
 * later ones against it. Nothing is read before somebody looks.
 */
public final class KeptAnswer {
    private KeptAnswer() {}

    /** Of the tool's own example, on its own route. */
    public static JsonNode of(Tool<?, ?> tool) {
        return read("tools/" + tool.name());
    }

    /** Of a route that runs no tool, by its name in the OpenAPI document. */
    public static JsonNode ofOperation(String id) {
        return read("operations/" + id);
    }

    /** Of a request that is refused: {@code problem-404}, {@code command-400}. */
    public static JsonNode ofRefusal(String name) {
        return read("refusals/" + name);
    }

    /** An empty object where nothing is kept: then the OpenAPI document fails its tests, which say what to do. */
    private static JsonNode read(String name) {
        try (var file = KeptAnswer.class.getResourceAsStream("/answers/%s.json".formatted(name))) {
            return file == null ? Json.object() : Json.read(file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
