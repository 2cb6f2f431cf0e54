package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Json;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The files of skills, as resources. */
record SkillFiles(SkillShelf skills) implements ResourceSource {
    @Override
    public Portion list(@Nullable String cursor, int limit, Turn turn) {
        return Portion.of(skills.all(turn).resources(), cursor, limit);
    }

    @Override
    public List<ObjectNode> templates() {
        return List.of(SkillResources.template());
    }

    @Override
    public Optional<Outcome> read(String uri, Turn turn) {
        return skills.read(uri, turn).map(content -> {
            turn.ran(uri);
            var result = Json.object();
            result.putArray("contents").add(content);
            return Outcome.done(result, SkillsExtension.FIVE_MINUTES);
        });
    }

    @Override
    public Optional<List<String>> complete(String template, Completion completion, Turn turn) {
        if (!template.equals(SkillResources.TEMPLATE)) {
            return Optional.empty();
        }
        var skill = completion.others().getOrDefault("name", "");
        return Optional.of(
                switch (completion.argument()) {
                    case "name" -> skills.all(turn).names(completion.value());
                    case "path" -> skills.one(skill, turn).paths(skill, completion.value());
                    default -> List.of();
                });
    }

    @Override
    public Optional<Change> changes(String uri, Turn turn) {
        return skills.changes(uri, turn);
    }
}
