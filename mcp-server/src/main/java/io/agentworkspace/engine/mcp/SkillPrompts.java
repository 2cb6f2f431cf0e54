package io.agentworkspace.engine.mcp;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** A prompt for each skill. */
record SkillPrompts(SkillShelf skills) implements PromptSource {
    @Override
    public List<ObjectNode> list(Turn turn) {
        return skills.all(turn).prompts();
    }

    @Override
    public Optional<Outcome> get(String name, ObjectNode arguments, Turn turn) {
        return skills.prompt(name, arguments.path("task").asString(""), turn).map(Outcome::done);
    }

    /** A task is in the caller's own words: there is nothing to propose. */
    @Override
    public Optional<List<String>> complete(String prompt, Completion completion, Turn turn) {
        return skills.one(prompt, turn).names(prompt).contains(prompt) ? Optional.of(List.of()) : Optional.empty();
    }
}
