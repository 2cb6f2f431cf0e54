package io.agentworkspace.engine.model;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** All tools, in order. Lists, routes, documents and pages are read off it. */
public final class Catalogue {
    private final Map<String, Tool<?, ?>> tools = new LinkedHashMap<>();

    public Catalogue(Collection<? extends Tool<?, ?>> inOrder) {
        for (var tool : inOrder) {
            if (tools.put(tool.name(), tool) != null) {
                throw new IllegalArgumentException("two tools are named " + tool.name());
            }
        }
    }

    public List<Tool<?, ?>> tools() {
        return List.copyOf(tools.values());
    }

    /** The tools that this caller may run. */
    public List<Tool<?, ?>> tools(Caller caller) {
        return tools.values().stream().filter(caller::may).toList();
    }

    /** Names are case-sensitive. */
    public Optional<Tool<?, ?>> find(String name) {
        return Optional.ofNullable(tools.get(name));
    }

    /** @throws Problem {@code unknown_service}, naming the nearest service */
    public Tool<?, ?> read(String name) {
        return find(name).orElseThrow(() -> Problem.unknownService(shortened(name), nearest(name)));
    }

    private String nearest(String name) {
        return Near.nearest(name, tools.keySet(), 1).stream().findFirst().orElseGet(() -> closest(name));
    }

    private String closest(String name) {
        var distance = LevenshteinDistance.getDefaultInstance();
        var wanted = shortened(name).toLowerCase(java.util.Locale.ROOT);
        return tools.keySet().stream()
                .min(java.util.Comparator.comparingInt(
                        known -> distance.apply(known.toLowerCase(java.util.Locale.ROOT), wanted)))
                .orElseThrow();
    }

    private static String shortened(String name) {
        return name.length() > Name.MAX ? name.substring(0, Name.MAX) + "…" : name;
    }
}
