package io.agentworkspace.engine.mcp.wire;

import io.agentworkspace.engine.model.json.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The outcome of a request: a result, or questions that the client has to answer first. */
public sealed interface MethodResult {
    /**
     * A result as every revision has it; what only some have is added by the lanes.
     *
     * @param caching how long it may be kept, or null where the protocol has no such hint
     */
    record Done(ObjectNode result, @Nullable Caching caching) implements MethodResult {}

    /**
     * Questions, each under a key of its own: client requests with {@code method} and {@code params}. The same request
     * comes again with the answers; what was known by then is kept in the state.
     *
     * @param state null where nothing has to be remembered
     */
    record Ask(Map<String, ObjectNode> questions, @Nullable ObjectNode state) implements MethodResult {}

    /**
     * How long a result may be kept, and by whom.
     *
     * @param shared whether it is the same for every caller
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

    /** A tool's result that is one text. */
    static MethodResult text(String text) {
        var result = Json.object();
        result.putArray("content").addObject().put("type", "text").put("text", text);
        return done(result);
    }

    /** A form to fill in. */
    static ObjectNode form(String message, ObjectNode schema) {
        var question = Json.object().put("method", "elicitation/create");
        question.putObject("params").put("message", message).set("requestedSchema", schema);
        return question;
    }
}
