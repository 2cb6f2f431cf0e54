package io.agentworkspace.engine.model.search;

import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.function.Predicate;

/** Finds tools by what a caller wants to do. */
@FunctionalInterface
public interface ToolFinder {
    /**
     * Returns the matching tools, best first. Tools that are not allowed have no influence on the result.
     *
     * @param query in the caller's own words
     */
    List<Tool<?, ?>> find(String query, Predicate<Tool<?, ?>> allowed);
}
