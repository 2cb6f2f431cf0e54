package io.agentworkspace.engine.mcp.skills;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.PromptSource;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** A prompt for each skill. */
public record SkillPrompts(ReadableSkills skills) implements PromptSource {
    @Override
    public List<ObjectNode> list(McpRequest request) {
        return skills.all(request).prompts();
    }

    @Override
    public Optional<MethodResult> get(String name, ObjectNode arguments, McpRequest request) {
        return skills.prompt(name, arguments.path("task").asString(""), request).map(MethodResult::done);
    }

    /** Returns no suggestions: the task is in the caller's own words. */
    @Override
    public Optional<List<String>> complete(String prompt, CompletionArgument completion, McpRequest request) {
        return skills.one(prompt, request).names(prompt).contains(prompt) ? Optional.of(List.of()) : Optional.empty();
    }
}
