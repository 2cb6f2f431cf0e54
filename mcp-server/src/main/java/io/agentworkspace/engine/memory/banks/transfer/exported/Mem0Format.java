package io.agentworkspace.engine.memory.banks.transfer.exported;

import io.agentworkspace.engine.model.json.Json;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * A JSON array of current memories in the form of mem0: its users are the authors, and what mem0 has no field for is in
 * {@code metadata}.
 */
final class Mem0Format implements ExportFormat {
    @Override
    public String mediaType() {
        return "application/json";
    }

    @Override
    public Optional<FilePart> begin() {
        return Optional.of(FilePart.of("["));
    }

    @Override
    public String separator() {
        return ",";
    }

    @Override
    public Optional<FilePart> end() {
        return Optional.of(FilePart.of("\n]\n"));
    }

    @Override
    public Optional<FilePart> part(ExportedMemory memory, Instant now) {
        if (!memory.isCurrent(now)) {
            return Optional.empty();
        }
        var line = memory.line();
        var json = Json.object().put("id", line.id()).put("memory", line.text()).put("user_id", line.author());
        json.set("metadata", metadata(line));
        json.set("created_at", Json.valueTree(line.createdAt()));
        json.set("updated_at", Json.valueTree(line.updatedAt()));
        return Optional.of(FilePart.of("\n" + Json.text(json)));
    }

    private static ObjectNode metadata(MemoryLine line) {
        var metadata = Json.tree(line).put(ExportMark.FIELD, ExportMark.VALUE);
        for (var field : new String[] {"id", "text", "author", "created_at", "updated_at"}) {
            metadata.remove(field);
        }
        if (Boolean.FALSE.equals(line.holdsName())) {
            metadata.remove("name");
        }
        var origins = line.derivedFrom();
        if (origins != null && origins.size() > ExportedMemory.ORIGINS) {
            metadata.set("derived_from", Json.valueTree(origins.subList(0, ExportedMemory.ORIGINS)));
        }
        return metadata;
    }
}
