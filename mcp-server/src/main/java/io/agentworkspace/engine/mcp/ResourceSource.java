package io.agentworkspace.engine.mcp;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Resources that a door serves, each under a URI. */
public interface ResourceSource {
    /**
     * What the caller may see, as {@code resources/list} shows it, from where a cursor of this source points to.
     *
     * @param limit how many at most, and as many where there are so many
     */
    Portion list(@Nullable String cursor, int limit, Turn turn);

    /** As {@code resources/templates/list} shows them. */
    List<ObjectNode> templates();

    /** The contents of a resource, or questions first; empty when it is none of these or hidden from the caller. */
    Optional<Outcome> read(String uri, Turn turn);

    /** The values of a template's variable that begin with the given text; empty when the template is none of these. */
    Optional<List<String>> complete(String template, Completion completion, Turn turn);

    /** What is told when this resource changes; empty when it is none of these or does not change. */
    default Optional<Change> changes(String uri, Turn turn) {
        return Optional.empty();
    }
}
