package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.problem.Problem;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All tools, in order. Lists, routes, documents and pages are generated from it. */
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

    /** Returns the tools that this caller may run. */
    public List<Tool<?, ?>> tools(Caller caller) {
        return tools.values().stream().filter(caller::may).toList();
    }

    /** Returns the tool with this name. Names are case-sensitive. */
    public Optional<Tool<?, ?>> find(String name) {
        return Optional.ofNullable(tools.get(name));
    }

    /** @throws Problem {@code unknown_service}, with the tool that is probably meant */
    public Tool<?, ?> read(String name) {
        return find(name).orElseThrow(() -> {
            var titled = tools.values().stream().map(NearestTool.Titled::of).toList();
            return Problem.unknownService("service", name, NearestTool.hint(name, titled, "GET /api/mcp/tools"));
        });
    }
}
