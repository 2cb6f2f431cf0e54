package io.agentworkspace.engine.memory.banks.transfer.exported;

import io.agentworkspace.engine.model.json.Json;
import java.time.Instant;
import java.util.Optional;

/**
 * The JSON lines of the reference memory server ({@code @modelcontextprotocol/server-memory}): each memory is an entity
 * with its text as an observation, followed by its relations. An entity that is superseded or expired has a type of its own.
 */
final class GraphFormat implements ExportFormat {
    @Override
    public String mediaType() {
        return "application/x-ndjson";
    }

    @Override
    public Optional<FilePart> part(ExportedMemory memory, Instant now) {
        var line = memory.line();
        var entity =
                Json.object().put("type", "entity").put("name", memory.title()).put("entityType", type(memory, now));
        var observations = entity.putArray("observations").add(line.text());
        if (!line.tags().isEmpty()) {
            observations.add(ExportMark.TAGS + String.join(", ", line.tags()));
        }
        entity.put(ExportMark.FIELD, ExportMark.VALUE);
        var text = new StringBuilder(Json.text(entity)).append('\n');
        for (var relation : memory.relations()) {
            if (!relation.kind().equals(ExportedMemory.SUPERSEDED_BY)) { // The other memory has this relation, too.
                text.append(Json.text(Json.object()
                                .put("type", "relation")
                                .put("from", memory.title())
                                .put("to", relation.title())
                                .put("relationType", relation.kind())
                                .put(ExportMark.FIELD, ExportMark.VALUE)))
                        .append('\n');
            }
        }
        return Optional.of(FilePart.of(text.toString()));
    }

    private static String type(ExportedMemory memory, Instant now) {
        return memory.line().supersededBy() != null
                ? "superseded memory"
                : memory.isExpired(now) ? "expired memory" : ExportMark.CURRENT;
    }
}
