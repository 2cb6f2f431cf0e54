package io.agentworkspace.engine.model;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a run came to: the envelope that both doors give out.
 *
 * @param problem why it was refused, or null when it was done
 * @param replayed whether this is the stored answer of an earlier run under the same idempotency key
 */
public record Answer(ObjectNode envelope, @Nullable Problem problem, boolean replayed) {
    public boolean success() {
        return problem == null;
    }

    /** The HTTP status on command routes, the same as {@code status.http_code}. */
    public int status() {
        return problem == null ? 200 : problem.failure().commandStatus();
    }
}
