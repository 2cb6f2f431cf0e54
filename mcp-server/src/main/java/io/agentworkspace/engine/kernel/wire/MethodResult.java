package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.model.json.Json;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The outcome of a request: a result, or questions that the client has to answer first. */
public sealed interface MethodResult {
    /**
     * A result with the fields of every revision. The lanes add those of their own revisions.
     *
     * @param caching how long the result may be cached, or null if the protocol has no such hint
     */
    record Done(ObjectNode result, @Nullable Caching caching) implements MethodResult {}

    /**
     * Questions by key: client requests with {@code method} and {@code params}. The client repeats the request with the
     * answers; the state keeps what is known so far.
     *
     * @param state null if there is nothing to keep
     * @param elsewhere null if only the client can answer
     */
    record Ask(
            Map<String, ObjectNode> questions,
            @Nullable ObjectNode state,
            @Nullable Elsewhere elsewhere) implements MethodResult {
        public Ask(Map<String, ObjectNode> questions, @Nullable ObjectNode state) {
            this(questions, state, null);
        }
    }

    /**
     * The other place where a question can be answered, or given up. A client that does not answer in time, or cannot, is
     * not an error then: the request goes on without its answer.
     *
     * @param answered waits for an answer there; false if none came
     * @param longest how long a session waits for its client
     * @param abandoned runs if the request ends instead
     */
    record Elsewhere(BooleanSupplier answered, Duration longest, Runnable abandoned) {}

    /**
     * How long a result may be cached, and by whom.
     *
     * @param shared whether the result is the same for every caller
     */
    record Caching(long ttlMillis, boolean shared) {
        public static final Caching NONE = new Caching(0, false);
    }

    static MethodResult done(ObjectNode result) {
        return new Done(result, null);
    }

    static MethodResult done(ObjectNode result, Caching caching) {
        return new Done(result, caching);
    }

    /** Returns a tool result with a single text. */
    static MethodResult text(String text) {
        var result = Json.object();
        result.putArray("content").addObject().put("type", "text").put("text", text);
        return done(result);
    }

    /** Returns a request to open a link. The client reports only whether it does, not what comes of it. */
    static ObjectNode link(String message, String url) {
        var question = Json.object().put("method", "elicitation/create");
        question.putObject("params")
                .put("mode", "url")
                .put("message", message)
                .put("url", url)
                .put("elicitationId", UUID.randomUUID().toString()); // Required until the revision 2026-07-28.
        return question;
    }

    /** Returns a request for a form to fill in. */
    static ObjectNode form(String message, ObjectNode schema) {
        var question = Json.object().put("method", "elicitation/create");
        question.putObject("params").put("message", message).set("requestedSchema", schema);
        return question;
    }
}
