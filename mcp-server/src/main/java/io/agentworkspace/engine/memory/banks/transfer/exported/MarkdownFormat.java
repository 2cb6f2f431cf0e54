package io.agentworkspace.engine.memory.banks.transfer.exported;

import io.agentworkspace.engine.model.json.Json;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A folder of Markdown files, one for each memory, that Obsidian and basic-memory read: properties before the text, and
 * links to related memories after it.
 */
final class MarkdownFormat implements ExportFormat {
    @Override
    public String mediaType() {
        return "application/zip";
    }

    @Override
    public boolean isFolder() {
        return true;
    }

    @Override
    public Optional<FilePart> part(ExportedMemory memory, Instant now) {
        var line = memory.line();
        var text = new StringBuilder("---\n");
        property(text, "title", memory.title());
        property(text, "type", "note");
        property(text, "tags", line.tags());
        property(text, "id", line.id());
        property(text, "author", line.author());
        property(text, "editor", line.editor());
        property(
                text,
                "document",
                line.document() == null ? null : line.document().name());
        property(text, "reason", line.reason());
        property(text, "status", status(memory, now));
        property(text, "pinned", line.pinned());
        property(text, "expires", line.expiresAt());
        property(text, "created", line.createdAt());
        property(text, "updated", line.updatedAt());
        property(text, ExportMark.FIELD, ExportMark.VALUE);
        text.append("---\n\n").append(line.text()).append('\n');
        var relations = memory.relations();
        if (!relations.isEmpty()) {
            text.append(ExportMark.RELATIONS);
            relations.forEach(each -> text.append("- %s [[%s]]\n".formatted(each.kind(), each.title())));
        }
        return Optional.of(new FilePart(memory.title() + ".md", text.toString(), line.updatedAt()));
    }

    private static @Nullable String status(ExportedMemory memory, Instant now) {
        return memory.line().supersededBy() != null ? "superseded" : memory.isExpired(now) ? "expired" : null;
    }

    /** Adds a property. JSON is also YAML. */
    private static void property(StringBuilder text, String name, @Nullable Object value) {
        if (value != null) {
            text.append(name).append(": ").append(Json.text(value)).append('\n');
        }
    }
}
