package io.agentworkspace.engine.mcp.skills;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
import io.agentworkspace.engine.model.json.Json;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The files of skills, as resources. */
public record SkillFiles(ReadableSkills skills) implements ResourceSource {
    @Override
    public ListPage list(@Nullable String cursor, int limit, McpRequest request) {
        return ListPage.of(skills.all(request).resources(), cursor, limit);
    }

    @Override
    public List<ObjectNode> templates(McpRequest request) {
        return List.of(SkillResources.template());
    }

    @Override
    public Optional<MethodResult> read(String uri, McpRequest request) {
        return skills.read(uri, request).map(content -> {
            request.ran(uri);
            var result = Json.object();
            result.putArray("contents").add(content);
            return MethodResult.done(result, SkillsExtension.FIVE_MINUTES);
        });
    }

    @Override
    public Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest request) {
        if (!template.equals(SkillResources.TEMPLATE)) {
            return Optional.empty();
        }
        var skill = completion.others().getOrDefault("name", "");
        return Optional.of(
                switch (completion.argument()) {
                    case "name" -> skills.all(request).names(completion.value());
                    case "path" -> skills.one(skill, request).paths(skill, completion.value());
                    default -> List.of();
                });
    }

    @Override
    public Optional<SubscribedChange> changes(String uri, McpRequest request) {
        return skills.changes(uri, request);
    }
}
