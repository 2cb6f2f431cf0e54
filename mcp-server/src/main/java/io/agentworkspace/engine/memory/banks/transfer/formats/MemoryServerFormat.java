package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.exported.ExportMark;
import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.model.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * The file of MCP's reference memory server: each observation of an entity becomes a memory that names the entity, and
 * each relation a sentence.
 */
final class MemoryServerFormat implements JsonFormat {
    private static final String PRODUCT = "memory server";

    @Override
    public String word() {
        return "memory-server";
    }

    @Override
    public String product() {
        return PRODUCT;
    }

    @Override
    public boolean has(JsonNode entry) {
        return isEntity(entry)
                || isRelation(entry)
                || entry.path("entities").valueStream().anyMatch(MemoryServerFormat::isEntity);
    }

    private static boolean isEntity(JsonNode entry) {
        return entry.path("name").isString() && entry.path("observations").isArray();
    }

    private static boolean isRelation(JsonNode entry) {
        return entry.path("from").isString()
                && entry.path("to").isString()
                && entry.path("relationType").isString();
    }

    @Override
    public boolean take(JsonNode entry, Place at, Records out) {
        if (isEntity(entry)) {
            entity(entry, at, out);
        } else if (isRelation(entry)) {
            relation(entry, at, out);
        } else if (entry.path("entities").isArray() || entry.path("relations").isArray()) {
            entry.path("entities").forEach(each -> take(each, at, out));
            entry.path("relations").forEach(each -> take(each, at, out));
        } else {
            return false;
        }
        return true;
    }

    private static void entity(JsonNode entry, Place at, Records out) {
        var name = entry.path("name").asString();
        var type = entry.path("entityType").asString("");
        var isOwn = ExportMark.isIn(entry);
        if (isOwn && !type.equals(ExportMark.CURRENT)) {
            out.leaveOut(Records.SUPERSEDED, at);
            return;
        }
        var observations = entry.path("observations");
        if (observations.isEmpty()) {
            out.leaveOut("an entity without observations was left out", at);
        }
        var ownTags = isOwn ? tags(observations.path(1).asString("")) : Optional.<List<String>>empty();
        var tags = ownTags.orElse(isOwn ? List.of() : Labels.tags(List.of(type)));
        for (var i = 0; i < observations.size(); i++) {
            var observation = observations.path(i);
            if (i == 1 && ownTags.isPresent()) {
                continue;
            }
            var text = observation.isString()
                    ? observation.asString()
                    : observation.path("content").asString("");
            if (text.isBlank()) {
                out.leaveOut("an entry without text was left out", at);
                continue;
            }
            out.memory(new MemoryDraft(PRODUCT, "%s: %s".formatted(name, text.strip()), at)
                    .tags(tags)
                    .created(observation, "timestamp", "created_at")
                    .origin("entity", name)
                    .rest(entry, Set.of("name", "observations", "type")));
        }
    }

    /** Returns the tags that an observation of this engine's own consists of. */
    private static Optional<List<String>> tags(String observation) {
        return Optional.of(observation)
                .filter(text -> text.startsWith(ExportMark.TAGS))
                .map(text -> Labels.tags(Json.valueTree(text.substring(ExportMark.TAGS.length()))));
    }

    private static void relation(JsonNode entry, Place at, Records out) {
        if (ExportMark.isIn(entry)) {
            out.leaveOut("a relation between memories was left out: only the format engine keeps it", at);
            return;
        }
        var relation = entry.path("relationType").asString();
        var text = "%s %s %s"
                .formatted(
                        entry.path("from").asString(),
                        relation.replace('_', ' '),
                        entry.path("to").asString());
        out.memory(new MemoryDraft(PRODUCT, text, at)
                .origin("relation", Json.valueTree(relation))
                .rest(entry, Set.of("relationType", "type")));
    }
}
