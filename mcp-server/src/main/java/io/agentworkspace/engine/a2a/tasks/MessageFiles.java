package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.SentMessage;
import io.agentworkspace.engine.a2a.wire.SentMessage.FilePart;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The files of a message. A short text is said in the message. Anything else becomes a document, by DC_Submit, which the message names: the
 * agent reads it with DC_Read.
 */
public final class MessageFiles {
    private static final int SAID = 4_000;

    /** The most characters of a question. */
    private static final int MOST = 64_000;

    private MessageFiles() {}

    /**
     * Returns the text of the message with its files.
     *
     * @param key the idempotency key of the message
     */
    public static String text(AgentCall call, SentMessage message, String key) {
        var text = new StringBuilder(message.text());
        for (var i = 0; i < message.files().size(); i++) {
            var file = message.files().get(i);
            var said = said(file);
            text.append(text.isEmpty() ? "" : "\n\n")
                    .append(
                            said == null
                                    ? submitted(call, file, key, i)
                                    : "File '%s' (%s):\n\n%s".formatted(file.name(), file.mediaType(), said));
        }
        if (text.length() > MOST) {
            throw A2aError.invalid(
                    "message.parts",
                    "have %,d characters with their files; at most %,d".formatted(text.length(), MOST));
        }
        return text.toString();
    }

    private static @Nullable String said(FilePart file) {
        var isText = file.mediaType().startsWith("text/") || file.mediaType().equals("application/json");
        if (!isText || file.bytes().length > SAID) {
            return null;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(file.bytes()))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static String submitted(AgentCall call, FilePart file, String key, int number) {
        var submit = call.runner().catalogue().read("DC_Submit");
        call.caller().obstacle(submit).ifPresent(obstacle -> {
            throw A2aError.of(
                    A2aError.Kind.CONTENT_TYPE_NOT_SUPPORTED,
                    "the file '%s' would have to become a document: %s".formatted(file.name(), obstacle));
        });
        var arguments = Json.object()
                .put("name", name(file, key, number))
                .put("media_type", file.mediaType())
                .put("base64", Base64.getEncoder().encodeToString(file.bytes()));
        var document = call.run("DC_Submit", arguments, "%s-file-%d".formatted(key, number))
                .path("document");
        return "File '%s': document %s, version %s. DC_Read returns its text when it is accepted."
                .formatted(file.name(), document.path("name").asString(""), version(document));
    }

    private static String version(JsonNode document) {
        return Long.toString(document.path("version").asLong(1));
    }

    /** Returns a name that no other document has: a client does not know which ones there are. */
    private static String name(FilePart file, String key, int number) {
        var own = file.name().replaceAll("[^A-Za-z0-9._-]", "-");
        var end = own.length() > 60 ? own.substring(own.length() - 60) : own;
        return "a2a-%s-%d-%s"
                .formatted(HexFormat.of().formatHex(Sha256.of(key), 0, 6), number, end.isEmpty() ? "file" : end);
    }
}
