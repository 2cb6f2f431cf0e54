package io.agentworkspace.engine.mcp;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Prompts that a door serves. */
public interface PromptSource {
    /** As {@code prompts/list} shows them, in an order that stays. */
    List<ObjectNode> list(Turn turn);

    /** The prompt's messages, or questions first; empty when it is none of these. */
    Optional<Outcome> get(String name, ObjectNode arguments, Turn turn);

    /** The values of an argument that begin with the given text; empty when the prompt is none of these. */
    Optional<List<String>> complete(String prompt, Completion completion, Turn turn);
}
