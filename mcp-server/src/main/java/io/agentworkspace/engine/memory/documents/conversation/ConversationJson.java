package io.agentworkspace.engine.memory.documents.conversation;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads a conversation in JSON: an array of messages, or an object with the array {@code messages} and perhaps a
 * {@code title}. A message has a speaker, a text, and perhaps a time.
 */
final class ConversationJson {
    private static final int FEWEST = 2;
    private static final int LONGEST_SPEAKER = 80;
    private static final int LONGEST_TITLE = 300;
    private static final List<String> SPEAKERS = List.of("speaker", "role", "author", "name", "from");
    private static final List<String> TEXTS = List.of("content", "text", "message");
    private static final List<String> TIMES = List.of("timestamp", "time", "created_at", "date");

    private ConversationJson() {}

    /** Returns the turns; none if the text is no conversation. */
    static List<SaidText> read(String text) {
        try {
            return turns(Json.readForeign(text.getBytes(StandardCharsets.UTF_8)));
        } catch (RuntimeException e) {
            return List.of(); // The extractor of JSON says what is wrong with it.
        }
    }

    private static List<SaidText> turns(JsonNode document) {
        var messages = document.isArray() ? document : document.path("messages");
        var title = document.path("title").asString("").strip();
        var turns = new ArrayList<SaidText>();
        for (var message : messages) {
            var speaker = field(message, SPEAKERS).map(JsonNode::asString).orElse("");
            var said = field(message, TEXTS);
            if (speaker.isBlank() || speaker.length() > LONGEST_SPEAKER || said.isEmpty()) {
                return List.of();
            }
            var text = text(said.get());
            if (!text.isBlank()) {
                var time = time(message);
                var session = session(title, time);
                turns.add(new SaidText(
                        new Turn(speaker.strip(), time, session), text.strip(), "turn " + (turns.size() + 1)));
            }
        }
        return turns.size() < FEWEST ? List.of() : turns;
    }

    private static Optional<JsonNode> field(JsonNode message, List<String> names) {
        return names.stream()
                .map(message::path)
                .filter(value -> value.isString() || value.isArray())
                .findFirst();
    }

    /** A content may have parts, of which only texts count. */
    private static String text(JsonNode content) {
        return content.isString()
                ? content.asString()
                : content.valueStream()
                        .map(part -> part.isString()
                                ? part.asString()
                                : part.path("text").asString(""))
                        .filter(part -> !part.isBlank())
                        .collect(Collectors.joining("\n"));
    }

    private static @Nullable String session(String title, @Nullable Instant time) {
        if (!title.isEmpty()) {
            return title.length() <= LONGEST_TITLE ? title : title.substring(0, LONGEST_TITLE);
        }
        return time == null ? null : TurnTime.day(time);
    }

    private static @Nullable Instant time(JsonNode message) {
        return TIMES.stream()
                .map(message::path)
                .flatMap(value -> TurnTime.of(value).stream())
                .findFirst()
                .orElse(null);
    }
}
