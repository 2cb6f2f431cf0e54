package io.agentworkspace.engine.kernel.wire;

import java.util.Map;

/**
 * An argument that a user is typing.
 *
 * @param value the text so far
 * @param others the arguments that already have a value
 */
public record CompletionArgument(String argument, String value, Map<String, String> others) {}
