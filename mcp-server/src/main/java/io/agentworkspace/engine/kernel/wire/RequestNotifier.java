package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.model.json.Json;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Sends messages to the client before the result: progress if it gave a token, and log messages if it requested them. */
public final class RequestNotifier {
    public static final List<String> LEVELS =
            List.of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");

    private final Consumer<ObjectNode> line;
    private final Runnable beginning;
    private final @Nullable JsonNode token;
    private final int level;
    private double reached = Double.NEGATIVE_INFINITY;

    private RequestNotifier(Consumer<ObjectNode> line, Runnable beginning, @Nullable JsonNode token, int level) {
        this.line = line;
        this.beginning = beginning;
        this.token = token;
        this.level = level;
    }

    /**
     * @param level the minimum level of log messages, or null for none
     * @param beginning sends the beginning of the response
     */
    public static RequestNotifier of(
            JsonRpcMessage message, @Nullable String level, Consumer<ObjectNode> line, Runnable beginning) {
        var token = message.meta().get("progressToken");
        var usable = token != null && (token.isString() || token.isIntegralNumber());
        return new RequestNotifier(
                line, beginning, usable ? token : null, level == null ? LEVELS.size() : LEVELS.indexOf(level));
    }

    public static RequestNotifier silent() {
        return new RequestNotifier(_ -> {}, () -> {}, null, LEVELS.size());
    }

    /** Returns a notifier for progress only, in the form of the client's notification. */
    public static RequestNotifier progress(Consumer<ObjectNode> line) {
        return new RequestNotifier(line, () -> {}, JsonNodeFactory.instance.stringNode(""), LEVELS.size());
    }

    /** Sends the beginning of the response at once, if the client accepts a stream. */
    public void begin() {
        beginning.run();
    }

    /** Reports progress, only if the value has increased. */
    public synchronized void progress(double done, @Nullable Double total, @Nullable String message) {
        if (token == null || done <= reached) {
            return;
        }
        reached = done;
        var params = Json.object();
        params.set("progressToken", token);
        number(params, "progress", done);
        if (total != null) {
            number(params, "total", total);
        }
        if (message != null) {
            params.put("message", message);
        }
        line.accept(JsonRpcMessage.notification("notifications/progress", params));
    }

    private static void number(ObjectNode params, String name, double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            params.put(name, (long) value);
        } else {
            params.put(name, value);
        }
    }

    public void log(String said, String logger, JsonNode data) {
        if (LEVELS.indexOf(said) >= level) {
            var params = Json.object().put("level", said).put("logger", logger);
            params.set("data", data);
            line.accept(JsonRpcMessage.notification("notifications/message", params));
        }
    }
}
