package io.agentworkspace.engine.mcp.wire;

import java.util.List;

/**
 * Something that changed, or that somebody wants to hear of when it does.
 *
 * @param kind {@code agent}, {@code zone}, {@code bank}, {@code skill}, {@code events}, or a list: {@code tools}, {@code resources}, {@code prompts}
 * @param names what it is called, each name as {@code Name.key} has it; empty for a list
 */
public record Change(long tenant, String kind, List<String> names) {
    public static final String SKILL = "skill";
    public static final String TASK = "task";
    public static final String TOOLS = "tools";
    public static final String RESOURCES = "resources";
    public static final String PROMPTS = "prompts";

    public Change {
        names = List.copyOf(names);
    }
}
