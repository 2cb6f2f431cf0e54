package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.model.json.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A section of a Markdown file.
 *
 * @param file its path; empty if there is none
 * @param line the line of its heading
 */
public record Section(
        String file,
        long line,
        String name,
        String text,
        @Nullable Instant createdAt) {
    /** Returns it as a line of an import. */
    public ObjectNode memory() {
        var memory = Json.object().put("name", name).put("text", text);
        if (createdAt != null) {
            memory.set("created_at", Json.valueTree(createdAt));
        }
        return memory;
    }
}
