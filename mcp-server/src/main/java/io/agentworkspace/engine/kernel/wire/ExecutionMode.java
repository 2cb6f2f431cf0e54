package io.agentworkspace.engine.kernel.wire;

/** How a call of a tool is answered. */
public enum ExecutionMode {
    /** With its result, while the client waits. */
    QUICK,
    /** With a task if the client accepts tasks, else with the result. */
    LONG,
    /** With a task. Clients that do not accept tasks are refused. */
    TASK
}
