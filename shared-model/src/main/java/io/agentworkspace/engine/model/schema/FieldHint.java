package io.agentworkspace.engine.model.schema;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Suggests the field that a caller meant by one that a tool does not have. */
final class FieldHint {
    /** Names that callers use for our fields. */
    private static final Map<String, String> ALSO_CALLED = Map.ofEntries(
            Map.entry("message", "content"),
            Map.entry("text", "content"),
            Map.entry("content", "text"),
            Map.entry("body", "content"),
            Map.entry("query", "content"),
            Map.entry("q", "content"),
            Map.entry("memory", "content"),
            Map.entry("channel", "zone"),
            Map.entry("workspace", "domain"),
            Map.entry("recipient", "agent"),
            Map.entry("to", "agent"),
            Map.entry("title", "name"),
            Map.entry("persona", "profile"),
            Map.entry("instructions", "profile"),
            Map.entry("visibility", "access"),
            Map.entry("labels", "tags"),
            Map.entry("offset", "cursor"),
            Map.entry("max_results", "limit"),
            Map.entry("top_k", "limit"));

    private FieldHint() {}

    /**
     * Suggests a field: one with this name in another object, else one with the same meaning, or a similar one in the
     * same object.
     */
    static String of(String name, String path, List<String> names, List<Field> all, ObjectNode input) {
        var elsewhere = named(name, all);
        if (elsewhere.size() == 1 && Schema.isSent(input, elsewhere.getFirst())) {
            return "it differs from %1$s; send only %1$s".formatted(elsewhere.getFirst());
        }
        if (!elsewhere.isEmpty()) {
            return "did you mean %s?".formatted(String.join(" or ", elsewhere));
        }
        var same = named(ALSO_CALLED.getOrDefault(plain(name), ""), all);
        if (!same.isEmpty()) {
            return "did you mean %s?".formatted(String.join(" or ", same));
        }
        var near = Near.nearest(name, names, 1);
        if (!near.isEmpty()) {
            return "did you mean %s?".formatted(Schema.join(path, near.getFirst()));
        }
        var plain = named(plain(name), all);
        if (!plain.isEmpty()) {
            return "did you mean %s?".formatted(String.join(" or ", plain));
        }
        return "it takes " + (names.isEmpty() ? "none here" : String.join(", ", names));
    }

    private static List<String> named(String name, List<Field> all) {
        return all.stream()
                .filter(field -> field.name().equals(name))
                .map(Field::path)
                .toList();
    }

    /** Returns {@code agent} for {@code agentName}, {@code agent_name} and {@code AGENT}. */
    private static String plain(String name) {
        return Shape.snake(Name.shortened(name)).replaceAll("^_|_(name|id)$", "");
    }
}
