package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Allowance;
import io.agentworkspace.engine.model.Budget;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Whence;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Where a request comes from: the HTTP request that waits for its answer, or a task that goes on without one. */
interface Origin {
    Caller caller();

    String requestId();

    /** For the audit. */
    Whence whence();

    @Nullable
    String header(String name);

    Selection selection();

    /** How much its answer may carry; the answers of a batch have one together. */
    Budget budget();

    /** For a call with these arguments; null where there is none, or the arguments have one themselves. */
    @Nullable
    String idempotencyKey(ObjectNode arguments);

    /** For the request log: the tool or resource that the request is about. */
    void ran(String service);

    void retryAfter(Duration wait);

    void markReplayed();

    /** What the caller has left. */
    void limits(List<Allowance> left);
}
