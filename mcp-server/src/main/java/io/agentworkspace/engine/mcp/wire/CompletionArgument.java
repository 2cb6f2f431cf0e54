package io.agentworkspace.engine.mcp.wire;

import java.util.Map;

/**
 * An argument that somebody is typing.
 *
 * @param value what stands there so far
 * @param others the arguments that are already settled
 */
public record CompletionArgument(String argument, String value, Map<String, String> others) {}
