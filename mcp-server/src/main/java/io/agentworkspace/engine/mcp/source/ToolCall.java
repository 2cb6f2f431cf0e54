package io.agentworkspace.engine.mcp.source;

import io.agentworkspace.engine.mcp.wire.ExecutionMode;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import java.util.Optional;

/** A call of a tool that its source has found; it may still be refused. */
@FunctionalInterface
public interface ToolCall {
    /** Runs the tool to its end. Access is checked here. */
    MethodResult run();

    default ExecutionMode mode() {
        return ExecutionMode.QUICK;
    }

    /**
     * What the client has to answer before the call becomes a task: questions, or a result that makes the task needless.
     * The answers reach the task.
     */
    default Optional<MethodResult> beforeTask() {
        return Optional.empty();
    }
}
