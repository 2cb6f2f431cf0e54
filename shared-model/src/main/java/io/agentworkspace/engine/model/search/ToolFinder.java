package io.agentworkspace.engine.model.search;

import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;

/** Finds tools by what a caller wants to do. */
@FunctionalInterface
public interface ToolFinder {
    /**
     * Returns the matching tools, best first. Other tools than the usable ones have no influence on the result.
     *
     * @param query in the caller's own words
     */
    List<Tool<?, ?>> find(String query, List<Tool<?, ?>> usable);
}
