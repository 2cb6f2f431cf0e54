package io.agentworkspace.engine.mcp.wire;

/** How a call of a tool is answered. */
public enum ExecutionMode {
    /** With its result, while the client waits. */
    QUICK,
    /** With a task where the client takes tasks, else with its result. */
    LONG,
    /** With a task; clients that take none are refused. */
    TASK
}
