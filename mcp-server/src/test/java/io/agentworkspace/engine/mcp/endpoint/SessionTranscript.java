package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.model.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * What a client received in a session, step by step.
 *
 * @param failure what ended it early; empty for nothing
 */
record SessionTranscript(Map<String, JsonNode> steps, String failure) {
    /** Runs the session and records what each step returned. */
    @FunctionalInterface
    interface Course {
        void take(Map<String, JsonNode> steps) throws Exception;
    }

    static SessionTranscript of(Course course) {
        var steps = new LinkedHashMap<String, JsonNode>();
        try {
            course.take(steps);
            return new SessionTranscript(steps, "");
        } catch (Exception | AssertionError e) {
            return new SessionTranscript(steps, e.toString());
        }
    }

    JsonNode got(String step) {
        return steps.getOrDefault(step, Json.object());
    }
}
