package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The resources that the referee's scenarios read. */
final class FixtureResources implements ResourceSource {
    private static final Pattern TEMPLATE = Pattern.compile("test://template/([^/]+)/data");
    private static final String BINARY = "test://static-binary";

    private final Map<String, String> texts = new TreeMap<>(Map.of(
            "test://static-text", "This is the content of the static text resource.",
            "test://watched-resource", "This is watched."));

    @Override
    public Portion list(@Nullable String cursor, int limit, Turn turn) {
        var all = new ArrayList<ObjectNode>();
        texts.keySet().forEach(uri -> all.add(shown(uri, "text/plain")));
        all.add(shown(BINARY, "image/png"));
        return Portion.of(all, cursor, limit);
    }

    private static ObjectNode shown(String uri, String mediaType) {
        return Json.object()
                .put("uri", uri)
                .put("name", uri)
                .put("description", "A fixture.")
                .put("mimeType", mediaType);
    }

    @Override
    public List<ObjectNode> templates() {
        return List.of(Json.object()
                .put("uriTemplate", "test://template/{id}/data")
                .put("name", "template")
                .put("description", "A fixture.")
                .put("mimeType", "application/json"));
    }

    @Override
    public Optional<Outcome> read(String uri, Turn turn) {
        var id = TEMPLATE.matcher(uri);
        if (texts.containsKey(uri)) {
            return Optional.of(Outcome.done(Resources.text(uri, "text/plain", texts.get(uri))));
        } else if (uri.equals(BINARY)) {
            var result = Json.object();
            result.putArray("contents")
                    .addObject()
                    .put("uri", uri)
                    .put("mimeType", "image/png")
                    .put("blob", Fixtures.PNG);
            return Optional.of(Outcome.done(result));
        } else if (id.matches()) {
            var data = Json.object()
                    .put("id", id.group(1))
                    .put("templateTest", true)
                    .put("data", "Data for ID: " + id.group(1));
            return Optional.of(Outcome.done(Resources.text(uri, "application/json", Json.text(data))));
        }
        return Optional.empty();
    }

    @Override
    public Optional<List<String>> complete(String template, Completion completion, Turn turn) {
        return template.startsWith("test://template/") ? Optional.of(List.of("123")) : Optional.empty();
    }

    @Override
    public Optional<Change> changes(String uri, Turn turn) {
        if (uri.startsWith("test://many/")) {
            return Optional.of(new Change(turn.caller().tenant(), "fixture", List.of("many")));
        }
        return texts.containsKey(uri)
                ? Optional.of(new Change(turn.caller().tenant(), "fixture", List.of(uri)))
                : Optional.empty();
    }
}
