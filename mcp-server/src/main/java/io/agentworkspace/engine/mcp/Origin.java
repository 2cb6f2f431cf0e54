package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Allowance;
import io.agentworkspace.engine.model.Budget;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Whence;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The origin of a request: the HTTP request that waits for its response, or a task that runs without one. */
interface Origin {
    Caller caller();

    String requestId();

    /** For the audit. */
    Whence whence();

    @Nullable
    String header(String name);

    Selection selection();

    /** How much its response may carry; the responses of a batch share one budget. */
    Budget budget();

    /** The idempotency key of a call with these arguments; null if there is none, or the arguments contain one. */
    @Nullable
    String idempotencyKey(ObjectNode arguments);

    /** For the request log: the tool or resource that the request is about. */
    void ran(String service);

    void retryAfter(Duration wait);

    void markReplayed();

    /** What the caller has left. */
    void limits(List<Allowance> left);
}
