package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.mcp.wire.ToolSelection;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The origin of a request: the HTTP request that waits for its response, or a task that runs without one. */
public interface CallOrigin {
    Caller caller();

    String requestId();

    /** For the audit. */
    RequestSource whence();

    @Nullable
    String header(String name);

    ToolSelection selection();

    /** How much its response may carry; the responses of a batch share one budget. */
    ResponseBudget budget();

    /** The idempotency key of a call with these arguments; null if there is none, or the arguments contain one. */
    @Nullable
    String idempotencyKey(ObjectNode arguments);

    /** For the request log: the tool or resource that the request is about. */
    void ran(String service);

    void retryAfter(long seconds);

    void markReplayed();

    /** What the caller has left. */
    void limits(List<Allowance> left);
}
