package io.agentworkspace.engine.a2a.wire;

import io.agentworkspace.engine.model.json.Json;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A message that a client sends to an agent, with what the client wants to get.
 *
 * @param contextId empty for none
 * @param taskId the task that it continues; empty for a new one
 * @param text what its parts say; addresses of files are only named, never read
 * @param files parts with bytes
 * @param atOnce whether the client does not wait for the answer
 * @param push the push notification that the client asks for; null if it asks for none
 */
public record SentMessage(
        String messageId,
        String contextId,
        String taskId,
        String text,
        List<FilePart> files,
        boolean atOnce,
        @Nullable Integer historyLength,
        @Nullable Fields push) {
    private static final String PUSH = "taskPushNotificationConfig";
    private static final int MOST_PARTS = 50;
    private static final int MOST_FILES = 10;
    private static final int MOST_TEXT = 60_000;
    private static final String TEXT = "text/";

    /** A part with bytes. */
    public record FilePart(String name, String mediaType, byte[] bytes) {}

    /** Reads the parameters of SendMessage. */
    public static SentMessage read(Fields params) {
        if (!params.has("message")) {
            throw params.invalid("message", "is required");
        }
        var message = params.object("message");
        var wishes = params.object("configuration");
        if (!message.text("role").equals("ROLE_USER")) {
            throw message.invalid("role", "must be ROLE_USER");
        }
        var content = new Content();
        parts(message).forEach(content::add);
        return new SentMessage(
                message.required("messageId"),
                message.text("contextId"),
                message.text("taskId"),
                content.text(),
                List.copyOf(content.files),
                wishes.flag("returnImmediately"),
                wishes.number("historyLength", 0, Integer.MAX_VALUE),
                wishes.has(PUSH) ? wishes.object(PUSH) : null);
    }

    /** Reads the parts of what an agent has said. */
    public static SentMessage ofAgent(Fields said) {
        var content = new Content();
        parts(said).forEach(content::add);
        return new SentMessage("", "", "", content.text(), List.copyOf(content.files), true, null, null);
    }

    private static List<Fields> parts(Fields message) {
        if (!(message.object().get("parts") instanceof ArrayNode listed)
                || listed.isEmpty()
                || listed.size() > MOST_PARTS) {
            throw message.invalid("parts", "must have 1–%d parts".formatted(MOST_PARTS));
        }
        var parts = new ArrayList<Fields>();
        for (var part : listed) {
            if (!(part instanceof ObjectNode fields)) {
                throw message.invalid("parts", "must contain objects");
            }
            parts.add(new Fields(fields, "message.parts[%d]".formatted(parts.size())));
        }
        return parts;
    }

    /** What the parts contain. */
    private static final class Content {
        private final List<String> texts = new ArrayList<>();
        private final List<FilePart> files = new ArrayList<>();

        void add(Fields part) {
            var kinds = List.of("text", "raw", "url", "data").stream()
                    .filter(part.object()::has)
                    .toList();
            if (kinds.size() != 1) {
                throw part.invalid("text", "must be the only one of text, raw, url and data");
            }
            var value = part.object().path(kinds.getFirst());
            switch (kinds.getFirst()) {
                case "data" -> texts.add("```json\n%s\n```".formatted(Json.pretty(value)));
                case "text" -> texts.add(string(part, "text"));
                case "url" -> texts.add("File %s: %s".formatted(name(part), part.required("url")));
                default -> file(part);
            }
        }

        private static String string(Fields part, String kind) {
            var value = part.object().path(kind);
            if (!value.isString()) {
                throw part.invalid(kind, "must be a string");
            }
            return value.asString();
        }

        private static String name(Fields part) {
            var name = part.text("filename");
            return name.isBlank() ? "without a name" : "'%s'".formatted(name);
        }

        /** A short text is said; everything else is a file. */
        private void file(Fields part) {
            var type = part.text("mediaType").toLowerCase(Locale.ROOT);
            try {
                var bytes = Base64.getDecoder()
                        .decode(string(part, "raw").replace('-', '+').replace('_', '/'));
                files.add(new FilePart(part.text("filename"), type.isEmpty() ? TEXT + "plain" : type, bytes));
            } catch (IllegalArgumentException e) {
                throw part.invalid("raw", "must be base64");
            }
            if (files.size() > MOST_FILES) {
                throw part.invalid("raw", "is one file too many: a message has at most " + MOST_FILES);
            }
        }

        String text() {
            var text = String.join("\n\n", texts);
            if (text.isBlank() && files.isEmpty()) {
                throw A2aError.invalid("message.parts", "say nothing");
            }
            if (text.length() > MOST_TEXT) {
                throw A2aError.invalid(
                        "message.parts", "have %,d characters; at most %,d".formatted(text.length(), MOST_TEXT));
            }
            return text;
        }
    }
}
