package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.exported.ExportMark;
import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Memories of mem0: answers of its searches and lists, bare arrays of memories, JSON lines, and exports. */
final class Mem0Format implements JsonFormat {
    private static final String PRODUCT = "mem0";
    private static final List<String> LISTS = List.of("results", "memories", "data");
    private static final Set<String> KNOWN = Set.of(
            "memory",
            "data",
            "text",
            "content",
            "created_at",
            "expiration_date",
            "score",
            "hash",
            "tags",
            "categories",
            "user_id",
            "agent_id");
    private static final Set<String> SIGNS = Set.of(
            "user_id",
            "agent_id",
            "run_id",
            "app_id",
            "metadata",
            "hash",
            "created_at",
            "updated_at",
            "score",
            "id",
            "event");

    @Override
    public String word() {
        return "mem0";
    }

    @Override
    public String product() {
        return PRODUCT;
    }

    @Override
    public boolean has(JsonNode entry) {
        return isMemory(entry) && SIGNS.stream().anyMatch(entry::has)
                || LISTS.stream()
                        .anyMatch(list -> entry.path(list).valueStream().anyMatch(this::has));
    }

    private static boolean isMemory(JsonNode entry) {
        return entry.path("memory").isString();
    }

    @Override
    public boolean take(JsonNode entry, Place at, Records out) {
        if (isMemory(entry)) {
            memory(entry, entry.path("memory").asString(), at, out);
            return true;
        }
        var isList = false;
        for (var list : LISTS) {
            if (entry.path(list).isArray()) {
                isList = true;
                entry.path(list).forEach(each -> takeListed(each, at, out));
            }
        }
        entry.path("relations").forEach(each -> relation(each, at, out));
        return isList || entry.path("relations").isArray();
    }

    private static void takeListed(JsonNode entry, Place at, Records out) {
        var text = Stream.of("memory", "text", "content", "data")
                .map(entry::path)
                .filter(JsonNode::isString)
                .findFirst();
        if (text.isPresent()) {
            memory(entry, text.get().asString(), at, out);
        } else if (entry.isString()) {
            memory(entry, entry.asString(), at, out);
        } else {
            out.refuse("an entry of mem0 has no text: it needs the field memory", at);
        }
    }

    private static void memory(JsonNode entry, String text, Place at, Records out) {
        var tags = new ArrayList<>(Labels.tags(entry.path("categories")));
        tags.addAll(Labels.tags(entry.at("/metadata/tags")));
        tags.addAll(Labels.tags(entry.path("tags")));
        var author = entry.path("user_id").isString() ? entry.path("user_id") : entry.path("agent_id");
        var draft = new MemoryDraft(PRODUCT, text, at);
        var metadata = entry.path("metadata");
        if (ExportMark.isIn(metadata)) {
            draft.expires(metadata, "expires_at")
                    .name(Labels.memoryName(metadata.path("name").asString("")));
        } else {
            draft.expires(entry, "expiration_date");
        }
        out.memory(draft.author(author)
                .tags(Labels.tags(tags))
                .created(entry, "created_at", "timestamp", "updated_at")
                .rest(entry, KNOWN)
                .origin("user_id", entry.path("user_id"))
                .origin("agent_id", entry.path("agent_id")));
    }

    /** A relation of its graph becomes a sentence. */
    private static void relation(JsonNode entry, Place at, Records out) {
        var from = entry.path("source").asString("");
        var relation = entry.path(entry.has("relationship") ? "relationship" : "relation")
                .asString("");
        var to = entry.path(entry.has("target") ? "target" : "destination").asString("");
        if (from.isBlank() || relation.isBlank() || to.isBlank()) {
            out.refuse("a relation of mem0 needs source, relationship and target", at);
        } else {
            out.memory(new MemoryDraft(PRODUCT, "%s %s %s".formatted(from, relation.replace('_', ' '), to), at)
                    .rest(entry, Set.of()));
        }
    }
}
