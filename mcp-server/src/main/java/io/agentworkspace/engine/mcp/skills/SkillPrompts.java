package io.agentworkspace.engine.mcp.skills;

import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.PromptSource;
import io.agentworkspace.engine.mcp.wire.CompletionArgument;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** A prompt for each skill. */
public record SkillPrompts(ReadableSkills skills) implements PromptSource {
    @Override
    public List<ObjectNode> list(McpRequest turn) {
        return skills.all(turn).prompts();
    }

    @Override
    public Optional<MethodResult> get(String name, ObjectNode arguments, McpRequest turn) {
        return skills.prompt(name, arguments.path("task").asString(""), turn).map(MethodResult::done);
    }

    /** A task is in the caller's own words: there is nothing to propose. */
    @Override
    public Optional<List<String>> complete(String prompt, CompletionArgument completion, McpRequest turn) {
        return skills.one(prompt, turn).names(prompt).contains(prompt) ? Optional.of(List.of()) : Optional.empty();
    }
}
