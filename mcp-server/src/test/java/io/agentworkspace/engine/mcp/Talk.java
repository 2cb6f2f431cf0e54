package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * What a client got in a session, step by step, as far as it came.
 *
 * @param failure what ended it before its time; empty: nothing
 */
record Talk(Map<String, JsonNode> steps, String failure) {
    /** Has it, and puts down what each step got. */
    @FunctionalInterface
    interface Course {
        void take(Map<String, JsonNode> steps) throws Exception;
    }

    static Talk of(Course course) {
        var steps = new LinkedHashMap<String, JsonNode>();
        try {
            course.take(steps);
            return new Talk(steps, "");
        } catch (Exception | AssertionError e) {
            return new Talk(steps, e.toString());
        }
    }

    JsonNode got(String step) {
        return steps.getOrDefault(step, Json.object());
    }
}
