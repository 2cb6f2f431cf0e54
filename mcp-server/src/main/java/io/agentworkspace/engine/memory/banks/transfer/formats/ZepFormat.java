package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The graph of Zep and Graphiti: a fact becomes a memory, which says until when it was true; a node with a summary
 * becomes a memory; the episodes of a session or group become a conversation.
 */
final class ZepFormat implements JsonFormat {
    private static final String PRODUCT = "Zep";
    private static final List<String> LISTS = List.of(
            "facts", "edges", "episodes", "nodes", "entities", "entity_edges", "episodic_nodes", "entity_nodes");
    private static final Set<String> FACT = Set.of("fact", "fact_embedding", "score");

    /** A message of Graphiti begins with who said it. */
    private static final Pattern SAID = Pattern.compile("(?s)([^:\\n]{1,60}):\\s+(\\S.*)");

    private static final Set<String> NODE = Set.of("name", "summary", "created_at", "name_embedding", "labels");

    private final Map<String, List<Episode>> sessions = new LinkedHashMap<>();

    private record Episode(String id, @Nullable Instant time, String speaker, String text, Place at) {}

    @Override
    public String word() {
        return "zep";
    }

    @Override
    public String product() {
        return PRODUCT;
    }

    @Override
    public JsonFormat begin() {
        return new ZepFormat();
    }

    @Override
    public boolean has(JsonNode entry) {
        return isFact(entry)
                || isEpisode(entry)
                || isNode(entry)
                || LISTS.stream()
                        .anyMatch(list -> entry.path(list).valueStream().anyMatch(this::has));
    }

    private static boolean isFact(JsonNode entry) {
        return entry.path("fact").isString();
    }

    private static boolean isEpisode(JsonNode entry) {
        return entry.path("content").isString()
                && (entry.has("source_description") || entry.has("entity_edges") || entry.has("role_type"));
    }

    private static boolean isNode(JsonNode entry) {
        return entry.path("name").isString() && entry.path("summary").isString() && entry.has("uuid");
    }

    @Override
    public boolean take(JsonNode entry, Place at, Records out) {
        if (isFact(entry)) {
            out.memory(new MemoryDraft(PRODUCT, entry.path("fact").asString(), at)
                    .name(Labels.memoryName("Zep fact", entry.path("uuid").asString("")))
                    .created(entry, "valid_at", "created_at")
                    .expires(entry, "invalid_at", "expired_at")
                    .rest(entry, FACT));
            return true;
        }
        if (isEpisode(entry)) {
            episode(entry, at);
            return true;
        }
        if (isNode(entry)) {
            var text = entry.path("summary").asString().strip();
            if (text.isEmpty()) {
                out.leaveOut("an entity without a summary was left out", at);
            } else {
                out.memory(new MemoryDraft(
                                PRODUCT, "%s: %s".formatted(entry.path("name").asString(), text), at)
                        .tags(Labels.tags(entry.path("labels")))
                        .created(entry, "created_at")
                        .rest(entry, NODE));
            }
            return true;
        }
        return takeLists(entry, at, out);
    }

    private boolean takeLists(JsonNode entry, Place at, Records out) {
        var isList = false;
        for (var list : LISTS) {
            for (var each : entry.path(list)) {
                isList = true;
                var isKnown = isFact(each) || isEpisode(each) || isNode(each) || list.equals("episodes");
                if (!isKnown) {
                    out.leaveOut("an entity or a link without a fact was left out", at);
                } else if (list.equals("episodes")) {
                    episode(each, at);
                } else {
                    take(each, at, out);
                }
            }
        }
        return isList;
    }

    private void episode(JsonNode entry, Place at) {
        var session = first(entry, "session_id", "thread_id", "group_id", "graph_id", "user_id");
        var isZep = entry.has("role_type");
        var speaker = isZep ? first(entry, "name", "role", "role_type") : first(entry, "role", "source_description");
        var content = entry.path("content").asString("");
        var said = SAID.matcher(content);
        var isSaid = !isZep && entry.path("source").asString("").equals("message") && said.matches();
        var time = Times.of(entry.path("valid_at")).or(() -> Times.of(entry.path("created_at")));
        sessions.computeIfAbsent(session, _ -> new ArrayList<>())
                .add(new Episode(
                        entry.path("uuid").asString(""),
                        time.orElse(null),
                        isSaid ? said.group(1).strip() : speaker,
                        isSaid ? said.group(2) : content,
                        at));
    }

    private static String first(JsonNode entry, String... fields) {
        for (var field : fields) {
            var value = entry.path(field).asString("").strip();
            if (!value.isEmpty()) {
                return value.length() > 60 ? value.substring(0, 60) : value;
            }
        }
        return "episode";
    }

    @Override
    public void end(Records out) {
        sessions.forEach((session, episodes) -> {
            episodes.sort(
                    Comparator.comparing(Episode::time, Comparator.nullsFirst(Comparator.<Instant>naturalOrder())));
            var first = episodes.getFirst();
            var id = "%s|%s|%s".formatted(session, first.id(), first.time()); // Groups often have no name.
            var conversation = new Conversation(PRODUCT, session, "", id, first.at());
            episodes.stream()
                    .filter(each -> !each.text().isBlank())
                    .forEach(each -> conversation.turn(
                            each.time(), each.speaker().replaceAll("[\\s:]+", " "), each.text(), out));
            conversation.end(out);
        });
    }
}
