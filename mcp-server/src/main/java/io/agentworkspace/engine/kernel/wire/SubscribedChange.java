package io.agentworkspace.engine.kernel.wire;

import java.util.List;

/**
 * A change of a resource or list, and the key under which listeners subscribe to it.
 *
 * @param kind {@code agent}, {@code zone}, {@code bank}, {@code skill}, {@code events}, or a list: {@code tools},
 *     {@code resources}, {@code prompts}
 * @param names the name of the resource, each part as {@code Name.key} returns it; empty for a list
 */
public record SubscribedChange(long tenant, String kind, List<String> names) {
    public static final String SKILL = "skill";
    public static final String TASK = "task";
    public static final String TOOLS = "tools";
    public static final String RESOURCES = "resources";
    public static final String PROMPTS = "prompts";

    /** A resource of an installed server: the names are that of the server, and the URI there. */
    private static final String UPSTREAM = "upstream";

    public SubscribedChange {
        names = List.copyOf(names);
    }

    public static SubscribedChange ofUpstream(long tenant, String upstream, String uri) {
        return new SubscribedChange(tenant, UPSTREAM, List.of(upstream, uri));
    }

    public boolean isOfUpstream() {
        return kind.equals(UPSTREAM);
    }
}
