package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.model.problem.Problem;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client's answers so far in a request of several rounds.
 *
 * @param answers by the key of the question; answers to unknown questions are ignored
 * @param state what the server stored in the last round
 */
public record InputResponses(
        Map<String, ObjectNode> answers, @Nullable ObjectNode state) {
    public static final InputResponses NONE = new InputResponses(Map.of(), null);

    private static final int MAX = 32;

    /**
     * Returns the {@code inputResponses} of a request.
     *
     * @throws Problem {@code malformed_json} or {@code too_large}
     */
    public static Map<String, ObjectNode> answers(@Nullable JsonNode responses) {
        if (responses == null) {
            return Map.of();
        }
        if (!(responses instanceof ObjectNode object)) {
            throw Problem.wrongType("params.inputResponses", "an object that has an answer for each question");
        }
        if (object.size() > MAX) {
            throw Problem.tooLarge("params.inputResponses", object.size(), MAX, "answers");
        }
        var answers = new LinkedHashMap<String, ObjectNode>();
        for (var name : object.propertyNames()) {
            if (!(object.get(name) instanceof ObjectNode answer)) {
                throw Problem.wrongType("every answer in params.inputResponses", "an object");
            }
            answers.put(name, answer);
        }
        return answers;
    }
}
