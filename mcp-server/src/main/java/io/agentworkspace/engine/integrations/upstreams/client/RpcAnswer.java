package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Progress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads the messages that a server sends. */
final class RpcAnswer {
    private static final int LONGEST_MESSAGE = 300;
    private static final int INVALID_PARAMS = -32602;

    /** URLElicitationRequiredError of the revision 2025-11-25. */
    private static final int OPEN_FIRST = -32042;

    private RpcAnswer() {}

    /** Returns who the engine is, as a client. */
    static ObjectNode clientInfo() {
        return Json.object().put("name", "agent-workspace-engine").put("version", "1");
    }

    /** @throws UpstreamFailure if the message is an error, or no answer */
    static ObjectNode result(ObjectNode message) {
        if (message.get("result") instanceof ObjectNode result) {
            return result;
        }
        if (message.get("error") instanceof ObjectNode error) {
            throw error(error);
        }
        throw new UpstreamFailure(Kind.PROTOCOL, "its answer has neither a result nor an error");
    }

    static UpstreamFailure error(ObjectNode error) {
        return error(error.path("code").asInt(0), error.path("message").asString(""), error.get("data"));
    }

    /** @param data what the server says beyond the message; null if nothing */
    static UpstreamFailure error(int code, @Nullable String message, @Nullable JsonNode data) {
        var said = Excerpt.cut(
                String.valueOf(message).replaceAll("[\\p{Cntrl}\\p{Cf}]+", " ").strip(), LONGEST_MESSAGE);
        var links = code == OPEN_FIRST ? ClientTurn.links(data) : List.<String>of();
        var note = links.isEmpty() ? "" : "; the user opens this first: " + String.join(" and ", links);
        return new UpstreamFailure(
                code == INVALID_PARAMS ? Kind.ARGUMENTS : Kind.ERROR, "error %d: %s%s".formatted(code, said, note));
    }

    /** Returns whether a message answers the request with this id. A server that could not read it answers with an error without id. */
    static boolean isAnswer(ObjectNode message, String id) {
        var own = message.path("id");
        return !message.has("method")
                && (own.asString("").equals(id) || message.has("error") && (own.isMissingNode() || own.isNull()));
    }

    static boolean isProgress(ObjectNode message) {
        return message.path("method").asString("").equals("notifications/progress");
    }

    static void report(ObjectNode message, Progress progress) {
        var params = message.path("params");
        progress.report(
                params.path("progress").asDouble(0),
                params.path("total").isNumber() ? params.path("total").asDouble() : null,
                params.path("message").isString()
                        ? Excerpt.cut(params.path("message").asString(), LONGEST_MESSAGE)
                        : null);
    }

    /** Returns a text as a mirrored header carries it. */
    static String header(String text) {
        var isPlain = text.chars().allMatch(c -> c > ' ' && c < 0x7f) && !text.startsWith("=?");
        return isPlain
                ? text
                : "=?base64?%s?=".formatted(Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
    }
}
