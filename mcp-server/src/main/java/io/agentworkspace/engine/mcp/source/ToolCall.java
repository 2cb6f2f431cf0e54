package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.kernel.wire.ExecutionMode;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import java.util.Optional;

/** A call of a tool that exists. The call may still be refused. */
@FunctionalInterface
public interface ToolCall {
    /** Runs the tool to completion. Checks access first. */
    MethodResult run();

    default ExecutionMode mode() {
        return ExecutionMode.QUICK;
    }

    /**
     * Returns what the client has to answer before the call becomes a task: questions, or a final result that needs no
     * task. The answers are passed to the task.
     */
    default Optional<MethodResult> beforeTask() {
        return Optional.empty();
    }
}
