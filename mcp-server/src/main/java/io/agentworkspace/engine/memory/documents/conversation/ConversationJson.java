package io.agentworkspace.engine.memory.documents.conversation;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
    private static final List<String> SPEAKERS = List.of("speaker", "sender", "from", "role");

    /** Other things have these, too: they name a speaker only beside a time. */
    private static final List<String> NAMES = List.of("author", "name");

    private static final List<String> TEXTS = List.of("content", "text", "message");
    private static final List<String> TIMES = List.of("timestamp", "time", "created_at", "date");

    /** Fields without a text that anybody would look for. A message with others is a record of another kind. */
    private static final Pattern DATA = Pattern.compile(
            "id|_id|uuid|[a-z]+Id|.*[-_](?:id|ids|uuid)|type|object|status|model|metadata|usage|index|language|locale|channel"
                    + "|version|weight|tokens|.*_tokens|end_turn|finish_reason|stop_reason|stop_sequence"
                    + "|timestamp|time|date|ts|.*_(?:at|time|date)");

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
        if (!messages.isArray() || document.isObject() && !isData(document, Set.of("messages", "title"))) {
            return List.of();
        }
        var title = document.path("title").asString("").strip();
        var turns = new ArrayList<SaidText>();
        for (var message : messages) {
            var said = said(message, title, turns.size() + 1);
            if (said.isEmpty()) {
                return List.of();
            }
            said.filter(each -> !each.text().isEmpty()).ifPresent(turns::add);
        }
        return turns.size() >= FEWEST && title.length() <= LONGEST_TITLE && Speakers.converse(turns)
                ? turns
                : List.of();
    }

    /** Returns a message, perhaps without a text; empty if it is none. */
    private static Optional<SaidText> said(JsonNode message, String title, int number) {
        var time = time(message);
        var names = time == null && !isRole(message)
                ? SPEAKERS
                : Stream.concat(NAMES.stream(), SPEAKERS.stream()).toList();
        var by = field(message, names, JsonNode::isString);
        var of = field(message, TEXTS, value -> value.isString() || value.isArray());
        if (by.isEmpty() || of.isEmpty() || !isData(message, Set.of(by.get(), of.get()))) {
            return Optional.empty();
        }
        var speaker = message.path(by.get()).asString().strip();
        var isSpeaker = !speaker.isEmpty() && speaker.length() <= LONGEST_SPEAKER;
        var turn = new Turn(speaker, time, session(title, time));
        return isSpeaker
                ? Optional.of(new SaidText(turn, text(message.path(of.get())).strip(), "turn " + number))
                : Optional.empty();
    }

    private static boolean isRole(JsonNode message) {
        return Speakers.isRole(message.path("role").asString(""));
    }

    /** Returns whether the other fields have no text. */
    private static boolean isData(JsonNode object, Set<String> known) {
        return object.propertyStream()
                .filter(field -> !known.contains(field.getKey()))
                .filter(field -> !DATA.matcher(field.getKey()).matches())
                .filter(field -> !field.getKey().equals("role") || !isRole(object))
                .map(Map.Entry::getValue)
                .allMatch(value -> value.isNull()
                        || value.isBoolean()
                        || value.isContainer() && value.isEmpty()
                        || value.isString() && value.asString().isBlank());
    }

    private static Optional<String> field(JsonNode message, List<String> names, Predicate<JsonNode> isFitting) {
        return names.stream().filter(name -> isFitting.test(message.path(name))).findFirst();
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
            return title;
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
