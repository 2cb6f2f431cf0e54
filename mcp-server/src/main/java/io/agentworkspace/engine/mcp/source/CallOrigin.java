package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The origin of a call: an HTTP request that waits for its response, or a task that runs without one. */
public interface CallOrigin {
    Caller caller();

    String requestId();

    /** Returns the source of the request for the audit. */
    RequestSource source();

    @Nullable
    String header(String name);

    ToolSelection selection();

    /** Returns how much the response may still carry. The responses of a batch share one budget. */
    ResponseBudget budget();

    /** Returns the idempotency key for a call with these arguments; null if there is none, or the arguments contain one. */
    @Nullable
    String idempotencyKey(ObjectNode arguments);

    /** Notes the tool or resource that the request is about, for the request log. */
    void ran(String service);

    /** Sets what the headers of the response and the request log report of an answer. */
    void answered(Answer answer);
}
