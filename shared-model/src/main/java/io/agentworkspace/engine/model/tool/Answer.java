package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The result of a run: the envelope that both endpoints return.
 *
 * @param problem why it was refused, or null if it succeeded
 * @param replayed whether this is the stored response of an earlier run with the same idempotency key
 * @param moved whether the run changed the caller's context
 * @param limits what the caller has left, as in the envelope's header
 */
public record Answer(
        ObjectNode envelope, @Nullable Problem problem, boolean replayed, boolean moved, List<Allowance> limits) {
    public Answer(ObjectNode envelope, @Nullable Problem problem, boolean replayed) {
        this(envelope, problem, replayed, false, List.of());
    }

    /** Returns the answer of a successful run. */
    public static Answer of(ObjectNode envelope, Call call) {
        return new Answer(envelope, null, false, call.hasMoved(), List.of());
    }

    /** Adds what the caller has left. */
    public Answer withLimits(List<Allowance> left) {
        Envelope.withLimits(envelope, left);
        return new Answer(envelope, problem, replayed, moved, left);
    }

    /** Adds the names of the request's fields that were ignored. */
    public Answer ignoring(List<String> fields) {
        if (!fields.isEmpty() && envelope.get("header") instanceof ObjectNode header) {
            fields.forEach(header.putArray("ignored")::add);
        }
        return this;
    }

    public boolean success() {
        return problem == null;
    }

    /** Returns the HTTP status on command routes, the same as {@code status.http_code}. */
    public int status() {
        return problem == null ? 200 : problem.failure().commandStatus();
    }
}
