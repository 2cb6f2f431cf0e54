package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.StorableText;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A memory as a format reads it. A time that cannot be understood is kept as part of the origin. */
final class MemoryDraft {
    /** The maximum length of an author's name. */
    private static final int LONGEST_AUTHOR = 200;

    private static final DateTimeFormatter DAY = DateTimeFormatter.ISO_LOCAL_DATE.withZone(ZoneOffset.UTC);

    private final Place place;
    private final Origins origin = new Origins();
    private String text;
    private @Nullable String name;
    private @Nullable String author;
    private List<String> tags = List.of();
    private @Nullable Instant createdAt;
    private @Nullable Instant expiresAt;
    private boolean hasUnclearTime;

    /** @param product the name of what it was exported from */
    MemoryDraft(String product, String text, Place place) {
        this.text = StorableText.replaced(text).strip();
        this.place = place;
        origin.put("product", Json.valueTree(product));
    }

    MemoryDraft name(@Nullable String known) {
        this.name = known;
        return this;
    }

    MemoryDraft author(JsonNode known) {
        var plain = StorableText.replaced(known.asString("")).strip();
        this.author =
                plain.isEmpty() ? null : Excerpt.cut(plain, LONGEST_AUTHOR).strip();
        return this;
    }

    MemoryDraft tags(List<String> known) {
        this.tags = known;
        return this;
    }

    /** Takes the first of these fields that has a value. */
    MemoryDraft created(JsonNode entry, String... fields) {
        this.createdAt = time(entry, fields);
        return this;
    }

    MemoryDraft created(@Nullable Instant known) {
        this.createdAt = known;
        return this;
    }

    MemoryDraft expires(JsonNode entry, String... fields) {
        this.expiresAt = time(entry, fields);
        return this;
    }

    private @Nullable Instant time(JsonNode entry, String... fields) {
        for (var field : fields) {
            var value = entry.path(field);
            if (value.isMissingNode() || value.isNull()) {
                continue;
            }
            var time = Times.of(value);
            if (time.isPresent()) {
                return time.get();
            }
            hasUnclearTime = true;
            origin.put(field, value);
        }
        return null;
    }

    MemoryDraft origin(String field, JsonNode value) {
        origin.put(field, value);
        return this;
    }

    MemoryDraft origin(String field, String value) {
        origin.put(field, Json.valueTree(value));
        return this;
    }

    /** Keeps all fields but these. */
    MemoryDraft rest(JsonNode entry, Set<String> known) {
        origin.add(entry, known);
        return this;
    }

    String text() {
        return text;
    }

    Place place() {
        return place;
    }

    boolean hasUnclearTime() {
        return hasUnclearTime;
    }

    /**
     * A time that is still to come cannot be when it was stored: it is kept as part of the origin. What has expired
     * already says so in its text: an expired memory would be deleted soon.
     */
    void checkTime(Instant now) {
        if (createdAt != null && createdAt.isAfter(now)) {
            origin.put("created_at", Json.valueTree(createdAt));
            createdAt = null;
            hasUnclearTime = true;
        }
        if (expiresAt != null && !expiresAt.isAfter(now) && !text.isEmpty()) {
            text = "%s (until %s)".formatted(text, DAY.format(expiresAt));
            expiresAt = null;
        }
    }

    /** Returns it as a line of an import, with a part of its text. */
    ObjectNode line(String part) {
        var line = Json.object().put("text", part);
        if (name != null) {
            line.put("name", name);
        }
        if (author != null) {
            line.put("author", author);
        }
        if (!tags.isEmpty()) {
            tags.forEach(line.putArray("tags")::add);
        }
        if (createdAt != null) {
            line.set("created_at", Json.valueTree(createdAt));
        }
        if (expiresAt != null) {
            line.set("expires_at", Json.valueTree(expiresAt));
        }
        line.set("origin", origin.json());
        return line;
    }
}
