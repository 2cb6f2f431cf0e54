package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Cursor;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The methods {@code resources/…}, over all sources of resources, one source after the other. */
final class Resources {
    private static final int MAX_URI = 2_000;
    private static final Outcome.Caching FIVE_SECONDS = new Outcome.Caching(5_000, false);
    private static final Outcome.Caching AN_HOUR = new Outcome.Caching(3_600_000, true);

    private final List<ResourceSource> sources;

    Resources(List<ResourceSource> sources) {
        this.sources = sources;
    }

    Outcome list(ObjectNode params, Turn turn) {
        var at = Params.cursor(params).map(cursor -> Cursor.read(cursor, 2)).orElse(List.of("0", ""));
        return list(number(at.get(0)), at.get(1), turn).result("resources", FIVE_SECONDS);
    }

    /** A page is filled from one source after the other. */
    private Portion list(int first, String cursor, Turn turn) {
        var items = new ArrayList<ObjectNode>();
        for (var source = first; source < sources.size(); source++) {
            if (items.size() == Portion.SIZE) {
                return new Portion(items, Cursor.of(Integer.toString(source), ""));
            }
            var from = source == first && !cursor.isEmpty() ? cursor : null;
            var portion = sources.get(source).list(from, Portion.SIZE - items.size(), turn);
            items.addAll(portion.items());
            if (portion.next() != null) {
                return new Portion(items, Cursor.of(Integer.toString(source), portion.next()));
            }
        }
        return Portion.whole(items);
    }

    private int number(String text) {
        try {
            var number = Integer.parseUnsignedInt(text);
            if (number < Math.max(1, sources.size())) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Answered below, like any other cursor that is not ours.
        }
        throw Cursor.invalid();
    }

    Outcome templates(ObjectNode params) {
        var all =
                sources.stream().flatMap(source -> source.templates().stream()).toList();
        return Portion.of(all, Params.cursor(params).orElse(null)).result("resourceTemplates", AN_HOUR);
    }

    Outcome read(ObjectNode params, Turn turn) {
        var uri = uri(params);
        return sources.stream()
                .flatMap(source -> source.read(uri, turn).stream())
                .findFirst()
                .orElseThrow(() -> RpcError.resourceNotFound(
                        uri, turn.client().revision(), turn.requestId()));
    }

    static String uri(ObjectNode params) {
        var uri = Params.text(params, "uri");
        if (uri.isBlank() || uri.length() > MAX_URI) {
            throw Problem.invalid("params.uri", "must have 1–%,d characters".formatted(MAX_URI));
        }
        return uri;
    }

    /** What to listen to for news of this resource; empty when the caller may not see it. */
    Optional<Change> changes(String uri, Turn turn) {
        return sources.stream()
                .flatMap(source -> source.changes(uri, turn).stream())
                .findFirst();
    }

    Optional<List<String>> complete(String template, Completion completion, Turn turn) {
        return sources.stream()
                .flatMap(source -> source.complete(template, completion, turn).stream())
                .findFirst();
    }

    /** The {@code contents} of a resource that is one text. */
    static ObjectNode text(String uri, String mediaType, String text) {
        var result = Json.object();
        result.putArray("contents")
                .addObject()
                .put("uri", uri)
                .put("mimeType", mediaType)
                .put("text", text);
        return result;
    }
}
