package io.agentworkspace.engine.model.tool;

import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the list of tools does not show.
 *
 * @param details what callers need to know beyond the description; shown by {@code describe_tool} and the
 *     documents
 * @param phrases other names that callers may use; {@code find_tools} finds the tool by them
 * @param tellsContext whether the response over MCP has the context even if the call did not change it; such a
 *     tool is in the default list even if its family is not
 * @param shortener removes from a response over MCP what the caller knows from its own arguments
 */
public record Guide(
        String details,
        List<String> phrases,
        boolean tellsContext,
        @Nullable BiConsumer<ObjectNode, ObjectNode> shortener) {
    static final Set<Family> DEFAULT = Set.of(Family.AGENT, Family.DOMAIN, Family.ZONE, Family.BANK);
}
