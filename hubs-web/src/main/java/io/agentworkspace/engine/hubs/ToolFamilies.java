package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** The families that have tools, in the catalogue's order. */
record ToolFamilies(List<Members> all) {
    /** A family, and its tools. */
    record Members(Family family, List<Tool<?, ?>> tools) {}

    static ToolFamilies of(Catalogue catalogue) {
        var tools = new LinkedHashMap<Family, List<Tool<?, ?>>>();
        catalogue
                .tools()
                .forEach(tool -> tools.computeIfAbsent(tool.family(), _ -> new ArrayList<>())
                        .add(tool));
        return new ToolFamilies(tools.entrySet().stream()
                .map(family -> new Members(family.getKey(), List.copyOf(family.getValue())))
                .toList());
    }
}
