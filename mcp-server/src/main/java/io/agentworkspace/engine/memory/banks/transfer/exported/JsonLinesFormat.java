package io.agentworkspace.engine.memory.banks.transfer.exported;

import io.agentworkspace.engine.model.json.Json;
import java.time.Instant;
import java.util.Optional;

/** Plain JSON lines, as the import {@code jsonl} takes them: current memories with text, name, author, tags and date. */
final class JsonLinesFormat implements ExportFormat {
    @Override
    public String mediaType() {
        return "application/x-ndjson";
    }

    @Override
    public Optional<FilePart> part(ExportedMemory memory, Instant now) {
        if (!memory.isCurrent(now)) {
            return Optional.empty();
        }
        var line = memory.line();
        var json = Json.object().put("text", line.text());
        var name = memory.held();
        if (name != null) {
            json.put("name", name.text());
        }
        json.put("author", line.author());
        json.set("tags", Json.valueTree(line.tags()));
        json.set("created_at", Json.valueTree(line.createdAt()));
        return Optional.of(FilePart.of(Json.text(json) + "\n"));
    }
}
